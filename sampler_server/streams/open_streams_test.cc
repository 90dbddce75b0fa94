#include "sampler_server/streams/open_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Keeps what is sent until Take().
class FakeStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    if (closed) return absl::UnavailableError("closed");
    sent_.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override {
    if (!closed) closed = std::move(why);
    std::exchange(sent_, {});
  }
  void Take() { sent_.pop_front(); }
  size_t waiting() const { return sent_.size(); }

  std::optional<absl::Status> closed;

 private:
  std::deque<OutgoingMessage> sent_;
};

struct Client {
  std::shared_ptr<FakeStream> network = std::make_shared<FakeStream>();
  std::shared_ptr<BudgetShare> share;
  std::shared_ptr<UnreadStream> stream;

  // Sends an answer that takes `bytes` of the leaf budget.
  absl::Status Answer(size_t bytes) {
    auto hold = share->TryTake(bytes);
    if (!hold.ok()) return hold.status();
    OutgoingMessage message;
    message.kind = MessageKind::kGatherReply;
    message.payload_owner =
        std::make_shared<BudgetShare::Hold>(*std::move(hold));
    return stream->Send(std::move(message));
  }
  absl::Status SendError(size_t bytes) {
    OutgoingMessage message;
    message.kind = MessageKind::kCallError;
    message.header = std::string(bytes, 'x');
    return stream->Send(std::move(message));
  }
};

// Beyond kPatience by any of the simulation's clocks.
constexpr absl::Duration kStalled = absl::Milliseconds(2500);

class OpenStreamsTest : public ::testing::Test {
 protected:
  OpenStreamsTest() {
    streams_->SetUp(executor_, StreamEndMetrics());
    streams_->Watch(leaf_);
  }
  Client Open(const std::string& address) {
    const Caller caller{address, {}};
    Client client;
    client.share = leaf_->Open(caller.share_key());
    client.stream = streams_->Open(StreamMethod::kLeaf, caller, client.network,
                                   client.share);
    return client;
  }
  void RunFor(absl::Duration time) {
    world_.Schedule(-1, world_.now() + time, [] {});  // so that time passes
    world_.RunUntil([] { return false; }, time);
  }

  SimScheduler world_{1};
  SimExecutor* const executor_ = world_.AddNode("server");
  const std::shared_ptr<SharedBudget> leaf_ =
      SharedBudget::Create("leaf budget", 1000);
  const std::shared_ptr<SharedBudget> answers_ =
      SharedBudget::Create("answer budget", size_t{1} << 20);
  const std::shared_ptr<OpenStreams> streams_ =
      std::make_shared<OpenStreams>(answers_);
};

TEST_F(OpenStreamsTest, AFrozenPeerIsClosedWhenAnotherIsRefused) {
  Client frozen = Open("10.0.0.1:1"), other = Open("10.0.0.2:1");
  ASSERT_TRUE(frozen.Answer(900).ok());
  RunFor(kStalled);
  EXPECT_FALSE(frozen.network->closed.has_value()) << "while nobody is refused";
  EXPECT_FALSE(other.Answer(200).ok());
  RunFor(absl::Milliseconds(1));
  ASSERT_TRUE(frozen.network->closed.has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*frozen.network->closed));
  EXPECT_THAT(frozen.network->closed->ToString(),
              HasSubstr("nothing of this stream was taken for"));
  EXPECT_TRUE(other.Answer(200).ok()) << "what it held is free";
  EXPECT_FALSE(other.network->closed.has_value());
}

TEST_F(OpenStreamsTest, AStreamThatTakesSomethingStays) {
  Client slow = Open("10.0.0.1:1"), other = Open("10.0.0.2:1");
  ASSERT_TRUE(slow.Answer(100).ok());
  ASSERT_TRUE(slow.Answer(100).ok());
  for (int i = 0; i < 4; ++i) {
    RunFor(OpenStreams::kPatience / 2);
    slow.network->Take();
    ASSERT_TRUE(slow.Answer(100).ok());
    EXPECT_FALSE(other.Answer(900).ok());
    RunFor(absl::Milliseconds(1));
    EXPECT_FALSE(slow.network->closed.has_value());
  }
}

// It had nothing to take for long, and got something only now.
TEST_F(OpenStreamsTest, AnIdleStreamIsNotTakenForAStalledOne) {
  Client idle = Open("10.0.0.1:1"), other = Open("10.0.0.2:1");
  ASSERT_TRUE(idle.Answer(300).ok());
  idle.network->Take();
  RunFor(10 * OpenStreams::kPatience);
  ASSERT_TRUE(idle.Answer(300).ok());
  EXPECT_FALSE(other.Answer(900).ok());
  RunFor(absl::Milliseconds(1));
  EXPECT_FALSE(idle.network->closed.has_value());
}

TEST_F(OpenStreamsTest, AStalledStreamThatHoldsNothingOfTheBudgetStays) {
  Client stalled = Open("10.0.0.1:1"), other = Open("10.0.0.2:1");
  ASSERT_TRUE(stalled.SendError(100).ok());
  RunFor(2 * OpenStreams::kPatience);
  ASSERT_TRUE(other.Answer(900).ok());
  EXPECT_FALSE(other.Answer(900).ok());
  RunFor(absl::Milliseconds(1));
  EXPECT_FALSE(stalled.network->closed.has_value());
}

// A stream has a quarter of the budget of 1 MiB, beside the bytes of its own.
TEST_F(OpenStreamsTest, SmallAnswersThatNobodyReadsEndTheStream) {
  Client deaf = Open("10.0.0.1:1");
  int sent = 0;
  while (deaf.SendError(100).ok()) ++sent;
  const int cost = 100 + MessageShare::kMessageBytes;
  EXPECT_EQ(sent, (16 << 10) / cost + (256 << 10) / cost);
  ASSERT_TRUE(deaf.network->closed.has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*deaf.network->closed));
  EXPECT_EQ(answers_->used(), 0u);
}

TEST_F(OpenStreamsTest, SmallAnswersThatAreReadNeverEndAStream) {
  Client reader = Open("10.0.0.1:1");
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(reader.SendError(100).ok());
    if (reader.network->waiting() > 20) reader.network->Take();
  }
  EXPECT_EQ(answers_->used(), 0u);
}

}  // namespace
}  // namespace tributary
