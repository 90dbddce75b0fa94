// Calls end to end, over the in-process transport in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/call_client.h"
#include "channel/call_server.h"
#include "channel/envelope.h"
#include "channel/in_process_transport.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Keeps each call until the test answers it.
struct PendingCall {
  IncomingCall call;
  CallResponder respond;
};

class CallTest : public ::testing::Test, public StreamAcceptor {
 protected:
  static constexpr size_t kReplyLimit = 1000;

  CallTest() {
    transport_.Listen(address_,
                      std::shared_ptr<StreamAcceptor>(this, [](auto*) {}));
  }
  ~CallTest() override {
    client_.reset();
    if (stream_) stream_->Close(absl::OkStatus());
    stream_.reset();
    world_.Drain(10000);
  }

  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    stream_ = stream;
    CallServerOptions options;
    options.max_concurrent = 2;
    options.max_request_bytes = 100;
    return ServeCalls(
        std::move(stream), std::move(caller),
        [this](IncomingCall call, CallResponder respond) {
          served_.push_back({std::move(call), std::move(respond)});
        },
        options);
  }

  void Connect(CallClientOptions options = {}) {
    client_ = std::make_unique<CallClient>(&transport_, address_,
                                           StreamMethod::kLeaf, node_, options);
  }

  // The results appear in results_ at the number returned.
  size_t Call(std::string header, absl::Duration timeout = absl::Seconds(1),
              std::string payload = "") {
    const size_t number = results_.size();
    results_.emplace_back();
    CallRequest request;
    request.kind = MessageKind::kGatherRequest;
    request.header = std::move(header);
    const auto owner = std::make_shared<const std::string>(std::move(payload));
    request.payload = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t*>(owner->data()), owner->size());
    request.payload_owner = owner;
    ids_.push_back(client_->Call(
        std::move(request), node_->Now() + timeout, kReplyLimit,
        [this, number](absl::StatusOr<CallReply> reply) {
          ASSERT_FALSE(results_[number].has_value()) << "answered twice";
          results_[number] = std::move(reply);
        }));
    return number;
  }

  static CallAnswer AnswerOf(std::string text) {
    CallAnswer answer;
    answer.kind = MessageKind::kGatherReply;
    answer.header = "reply";
    const auto owner = std::make_shared<const std::string>(std::move(text));
    answer.payload = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t*>(owner->data()), owner->size());
    answer.payload_owner = owner;
    return answer;
  }

  // Runs what is due within the next millisecond.
  void Run() {
    bool over = false;
    world_.Schedule(-1, world_.now() + absl::Milliseconds(1),
                    [&over] { over = true; });
    ASSERT_TRUE(world_.RunUntil([&over] { return over; }, absl::Seconds(1)));
  }
  absl::Status StatusOf(size_t number) {
    return results_[number] ? results_[number]->status()
                            : absl::UnknownError("not answered");
  }

  SimScheduler world_{1};
  SimExecutor* node_ = world_.AddNode("node");
  InProcessTransport transport_{node_};
  const Address address_{"server", 1};
  std::shared_ptr<Stream> stream_;
  std::vector<PendingCall> served_;
  std::unique_ptr<CallClient> client_;
  std::vector<CallClient::CallId> ids_;
  std::vector<std::optional<absl::StatusOr<CallReply>>> results_;
};

TEST_F(CallTest, AnswersGoToTheirCallsInAnyOrder) {
  Connect();
  Call("a");
  Call("b", absl::Seconds(1), "payload");
  Run();
  ASSERT_EQ(served_.size(), 2);
  EXPECT_EQ(served_[0].call.header, "a");
  EXPECT_EQ(served_[0].call.kind, MessageKind::kGatherRequest);
  EXPECT_EQ(served_[1].call.header, "b");
  EXPECT_EQ(served_[1].call.payload.size(), 7);
  served_[1].respond(AnswerOf("second"));
  served_[0].respond(AnswerOf("first"));
  Run();
  ASSERT_TRUE(StatusOf(0).ok()) << StatusOf(0);
  ASSERT_TRUE(StatusOf(1).ok()) << StatusOf(1);
  const CallReply& second = **results_[1];
  EXPECT_EQ(second.kind, MessageKind::kGatherReply);
  EXPECT_EQ(second.header, "reply");
  EXPECT_EQ(std::string(second.payload.data(),
                        second.payload.data() + second.payload.size()),
            "second");
  EXPECT_EQ((*results_[0])->payload.size(), 5);
  EXPECT_EQ(client_->outstanding(), 0);
}

TEST_F(CallTest, ErrorsTravelWithCodeAndText) {
  Connect();
  Call("a");
  Run();
  served_[0].respond(absl::NotFoundError("no split \"trian\""));
  Run();
  EXPECT_EQ(StatusOf(0), absl::NotFoundError("no split \"trian\""));
}

TEST_F(CallTest, AnErrorMayQuoteAnyBytes) {
  Connect();
  Call("a");
  Run();
  served_[0].respond(absl::NotFoundError("bad \xff"));
  Run();
  EXPECT_EQ(StatusOf(0), absl::NotFoundError("bad \\xff"));
}

TEST_F(CallTest, ACallWithoutAnswerEndsAtItsDeadlineAndTheServerIsTold) {
  Connect();
  Call("a", absl::Milliseconds(10));
  Run();
  ASSERT_EQ(served_.size(), 1);
  EXPECT_FALSE(results_[0].has_value());
  EXPECT_FALSE(served_[0].call.cancel.cancelled());
  world_.RunUntil([&] { return results_[0].has_value(); }, absl::Seconds(1));
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(StatusOf(0).message()),
              HasSubstr("GatherRequest to server:1"));
  Run();
  EXPECT_TRUE(served_[0].call.cancel.cancelled());
  served_[0].respond(AnswerOf("late"));
  Run();
  EXPECT_EQ(client_->late_replies(), 1);
  EXPECT_TRUE(client_->open());
}

TEST_F(CallTest, CancelFailsTheCallOnceAndTellsTheServer) {
  Connect();
  Call("a");
  Run();
  client_->Cancel(ids_[0]);
  client_->Cancel(ids_[0]);
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(served_[0].call.cancel.cancelled());
}

TEST_F(CallTest, TheServerTakesNoMoreThanItsLimit) {
  Connect();
  for (int i = 0; i < 3; ++i) Call("a");
  Run();
  EXPECT_EQ(served_.size(), 2);
  EXPECT_EQ(StatusOf(2).code(), absl::StatusCode::kResourceExhausted);
  served_[0].respond(AnswerOf("x"));
  Call("b");
  Run();
  EXPECT_EQ(served_.size(), 3);
}

TEST_F(CallTest, TheClientAsksNoMoreThanItsLimit) {
  CallClientOptions options;
  options.max_outstanding = 1;
  Connect(options);
  Call("a");
  Call("b");
  EXPECT_FALSE(results_[1].has_value()) << "not inside Call";
  Run();
  EXPECT_EQ(StatusOf(1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(served_.size(), 1);
}

TEST_F(CallTest, LargeRequestsAndAnswersAreRefused) {
  Connect();
  Call("a", absl::Seconds(1), std::string(101, 'x'));
  Call("b");
  Call(std::string((64 << 10) + 1, 'h'));
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(StatusOf(2).code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(served_.size(), 1);
  served_[0].respond(AnswerOf(std::string(kReplyLimit + 1, 'x')));
  Run();
  EXPECT_EQ(StatusOf(1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(client_->open());
}

TEST_F(CallTest, AnAnswerBeyondTheEnvelopeIsAnError) {
  Connect();
  Call("a");
  Run();
  served_[0].respond(AnswerOf(std::string(kMaxPayloadBytes + 1, 'x')));
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(client_->open());
}

TEST_F(CallTest, ADroppedResponderAnswers) {
  Connect();
  Call("a");
  Run();
  served_.clear();
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kInternal);
}

TEST_F(CallTest, ABrokenStreamFailsAllCallsAndLaterOnes) {
  Connect();
  Call("a");
  Call("b");
  Run();
  stream_->Close(absl::UnavailableError("gone"));
  Run();
  EXPECT_EQ(StatusOf(0), absl::UnavailableError("gone"));
  EXPECT_EQ(StatusOf(1), absl::UnavailableError("gone"));
  EXPECT_FALSE(client_->open());
  Call("c");
  Run();
  EXPECT_EQ(StatusOf(2), absl::UnavailableError("gone"));
  EXPECT_TRUE(served_[0].call.cancel.cancelled());
  served_[0].respond(AnswerOf("into the void"));
}

TEST_F(CallTest, ACallOnAStreamThatHasJustClosedSaysWhyItDid) {
  Connect();
  Call("a");
  Run();
  stream_->Close(absl::UnavailableError("gone"));
  Call("b");  // before the client has heard of it
  ASSERT_TRUE(client_->open());
  Run();
  EXPECT_EQ(StatusOf(1), absl::UnavailableError("gone"));
}

TEST_F(CallTest, NobodyThereFailsTheCall) {
  transport_.StopListening(address_);
  Connect();
  Call("a");
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(StatusOf(0).message()), HasSubstr("server:1"));
}

TEST_F(CallTest, ADestroyedClientFailsItsCalls) {
  Connect();
  Call("a");
  client_.reset();
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kCancelled);
}

TEST_F(CallTest, ACallNeedsADeadline) {
  Connect();
  Call("a", absl::InfiniteDuration());
  Run();
  EXPECT_EQ(StatusOf(0).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
