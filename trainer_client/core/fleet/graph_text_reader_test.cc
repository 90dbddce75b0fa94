#include "trainer_client/core/fleet/graph_text_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "channel/call_server.h"
#include "channel/testing/sim_network.h"
#include "common/fleet/graph_text.h"
#include "common/testing/sim_scheduler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Answers calls for pages as `answer` says.
class PageServer final : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    return ServeCalls(std::move(stream), std::move(caller),
                      [this](IncomingCall call, CallResponder respond) {
                        v1::GetGraphJsonRequest request;
                        ASSERT_TRUE(request.ParseFromString(call.header));
                        ++calls;
                        respond(answer(request.offset()));
                      });
  }

  std::function<absl::StatusOr<CallAnswer>(uint64_t offset)> answer;
  int calls = 0;
};

class GraphTextReaderTest : public ::testing::Test {
 protected:
  GraphTextReaderTest() : text_(700'000, 'x') {
    for (size_t i = 0; i < text_.size(); ++i) text_[i] += i % 7;
    id_ = {Sha256Of(std::string_view("layout")), text_.size(), Sha256Of(text_)};
    server_.answer = [this](uint64_t offset) { return Page(offset, 262'144); };
    network_.Listen(world_.AddNode("server"), {"server", 1}, &server_);
    client_ = std::make_shared<CallClient>(network_.TransportOf(node_),
                                           Address{"server", 1},
                                           StreamMethod::kControl, node_);
  }

  absl::StatusOr<CallAnswer> Page(uint64_t offset, size_t most) {
    v1::GetGraphJsonReply reply;
    reply.set_total(text_.size());
    reply.set_sha256(id_.sha256.data(), id_.sha256.size());
    auto owner = std::make_shared<const std::string>(
        text_.substr(std::min<size_t>(offset, text_.size()), most));
    CallAnswer answer{MessageKind::kGetGraphJsonReply,
                      reply.SerializeAsString()};
    answer.payload = {reinterpret_cast<const uint8_t*>(owner->data()),
                      owner->size()};
    answer.payload_owner = std::move(owner);
    return answer;
  }
  void Start() {
    ReadGraphText({client_, strand_, absl::Seconds(2)}, id_,
                  [this](absl::StatusOr<std::string> read) {
                    EXPECT_FALSE(read_.has_value()) << "twice";
                    read_ = std::move(read);
                  });
  }
  absl::StatusOr<std::string> Read() {
    strand_->Post([this] { Start(); });
    world_.RunUntil([this] { return read_.has_value(); }, absl::Minutes(2));
    return read_.value_or(absl::UnknownError("no end"));
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const node_ = world_.AddNode("client");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(node_);
  PageServer server_;
  std::string text_;
  GraphTextId id_;
  std::shared_ptr<CallClient> client_;
  std::optional<absl::StatusOr<std::string>> read_;
};

TEST_F(GraphTextReaderTest, ReadsAllPages) {
  EXPECT_EQ(*Read(), text_);
  EXPECT_EQ(server_.calls, 3);
}

TEST_F(GraphTextReaderTest, AsksAgainAfterARefusal) {
  server_.answer = [this](uint64_t offset) -> absl::StatusOr<CallAnswer> {
    if (server_.calls % 2 == 1) return absl::ResourceExhaustedError("busy");
    return Page(offset, 262'144);
  };
  EXPECT_EQ(*Read(), text_);
  EXPECT_EQ(server_.calls, 6);
}

TEST_F(GraphTextReaderTest, GivesUpAServerThatRefusesAlways) {
  server_.answer = [](uint64_t) {
    return absl::ResourceExhaustedError("too many calls");
  };
  EXPECT_THAT(std::string(Read().status().message()),
              HasSubstr("too many calls"));
  EXPECT_EQ(server_.calls, 51);
}

TEST_F(GraphTextReaderTest, RefusesOtherErrorsAtOnce) {
  server_.answer = [](uint64_t) { return absl::NotFoundError("gone"); };
  EXPECT_TRUE(absl::IsNotFound(Read().status()));
  EXPECT_EQ(server_.calls, 1);
}

TEST_F(GraphTextReaderTest, RefusesAnEmptyPage) {
  server_.answer = [this](uint64_t offset) {
    return Page(offset, offset == 0 ? 100 : 0);
  };
  EXPECT_TRUE(absl::IsDataLoss(Read().status()));
}

TEST_F(GraphTextReaderTest, RefusesPagesOfAnotherText) {
  const std::string first = text_;
  server_.answer = [this](uint64_t offset) {
    if (offset > 0) text_ += "more";
    return Page(offset, 262'144);
  };
  EXPECT_THAT(std::string(Read().status().message()),
              HasSubstr("a page of another graph.json"));
}

TEST_F(GraphTextReaderTest, RefusesATextWithoutTheDigest) {
  text_[500'000] = '?';
  EXPECT_TRUE(absl::IsDataLoss(Read().status()));
}

TEST_F(GraphTextReaderTest, RefusesLengthsThatAreNotServed) {
  id_.bytes = kMaxGraphTextBytes + 1;
  EXPECT_TRUE(absl::IsDataLoss(Read().status()));
  EXPECT_EQ(server_.calls, 0);
}

TEST_F(GraphTextReaderTest, EndsWhenItsConnectionIsDropped) {
  server_.answer = [](uint64_t) {
    return absl::ResourceExhaustedError("not now");
  };
  strand_->Post([this] { Start(); });
  world_.RunUntil([this] { return server_.calls > 2; }, absl::Seconds(10));
  client_.reset();
  world_.RunUntil([this] { return read_.has_value(); }, absl::Seconds(10));
  ASSERT_TRUE(read_.has_value());
  EXPECT_TRUE(absl::IsCancelled(read_->status()));
}

}  // namespace
}  // namespace tributary
