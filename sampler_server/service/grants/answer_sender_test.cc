#include "sampler_server/service/grants/answer_sender.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

// Keeps what is sent; its payloads are not taken until cleared.
class FakeStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    sent.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override { closed.push_back(std::move(why)); }

  std::vector<OutgoingMessage> sent;
  std::vector<absl::Status> closed;
};

class Slot final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return {}; }
};

class AnswerSenderTest : public ::testing::Test {
 protected:
  template <typename Proto>
  Proto Last(MessageKind kind) {
    EXPECT_FALSE(stream_->sent.empty());
    EXPECT_EQ(MessageKindName(stream_->sent.back().kind),
              MessageKindName(kind));
    Proto proto;
    EXPECT_TRUE(proto.ParseFromString(stream_->sent.back().header));
    return proto;
  }
  v1::BatchError ErrorOf(absl::Status why) {
    answers_.SendError(1, why);
    return Last<v1::BatchError>(MessageKind::kBatchError);
  }

  SimScheduler world_{1};
  SimExecutor* const executor_ = world_.AddNode("server");
  const std::shared_ptr<FakeStream> stream_ = std::make_shared<FakeStream>();
  AnswerSender answers_{stream_, executor_, FrameSenderOptions()};
};

TEST_F(AnswerSenderTest, ReadyGivesTheSlotBack) {
  auto slot = std::make_shared<Slot>();
  answers_.SendReady(3, 640, slot);
  const auto ready = Last<v1::Ready>(MessageKind::kReady);
  EXPECT_EQ(ready.grant(), 3u);
  EXPECT_EQ(ready.total(), 640u);
  EXPECT_EQ(stream_->sent.back().room, slot);
}

TEST_F(AnswerSenderTest, SmallAnswersNameTheirGrant) {
  answers_.SendNeeds(4, 8192);
  const auto needs = Last<v1::Needs>(MessageKind::kNeeds);
  EXPECT_EQ(needs.grant(), 4u);
  EXPECT_EQ(needs.bytes(), 8192u);
  answers_.SendUnknownSession(5, "digest");
  const auto unknown = Last<v1::UnknownSession>(MessageKind::kUnknownSession);
  EXPECT_EQ(unknown.grant(), 5u);
  EXPECT_EQ(unknown.session(), "digest");
  answers_.SendReturned(6);
  EXPECT_EQ(Last<v1::Returned>(MessageKind::kReturned).grant(), 6u);
}

TEST_F(AnswerSenderTest, ErrorsOfCapacityTimeAndNetworkMayPass) {
  for (const absl::Status& why :
       {absl::UnavailableError("x"), absl::ResourceExhaustedError("x"),
        absl::DeadlineExceededError("x"), absl::AbortedError("x"),
        absl::CancelledError("x")}) {
    const v1::BatchError error = ErrorOf(why);
    EXPECT_EQ(error.code(), static_cast<int>(why.code()));
    EXPECT_TRUE(error.retryable()) << why;
    EXPECT_EQ(error.retry_after_ms(), 50u) << why;
  }
}

TEST_F(AnswerSenderTest, OtherErrorsArePermanent) {
  for (const absl::Status& why :
       {absl::InvalidArgumentError("x"), absl::NotFoundError("x"),
        absl::PermissionDeniedError("x"), absl::FailedPreconditionError("x"),
        absl::InternalError("x"), absl::DataLossError("x")}) {
    const v1::BatchError error = ErrorOf(why);
    EXPECT_EQ(error.code(), static_cast<int>(why.code()));
    EXPECT_EQ(error.message(), "x");
    EXPECT_FALSE(error.retryable()) << why;
    EXPECT_EQ(error.retry_after_ms(), 0u) << why;
  }
}

TEST_F(AnswerSenderTest, ProgressOfNothingIsNotSent) {
  v1::Progress progress;
  answers_.SendProgress(progress);
  EXPECT_TRUE(stream_->sent.empty());
  progress.add_grant(2);
  progress.add_stage(v1::STAGE_SAMPLING);
  answers_.SendProgress(progress);
  EXPECT_EQ(Last<v1::Progress>(MessageKind::kProgress).grant(0), 2u);
}

TEST_F(AnswerSenderTest, FramesAreCountedWhenTheNetworkHasTakenThem) {
  auto batch = std::make_shared<std::vector<uint8_t>>(100, 9);
  std::weak_ptr<const void> owner = batch;
  const absl::Span<const uint8_t> bytes = *batch;
  answers_.SendFrames(8, bytes, std::move(batch), {});
  world_.Drain(100);
  const auto frame = Last<v1::Frame>(MessageKind::kFrame);
  EXPECT_EQ(frame.grant(), 8u);
  EXPECT_EQ(frame.total(), 100u);
  EXPECT_EQ(answers_.frames_taken(), 0u);
  EXPECT_FALSE(owner.expired());
  stream_->sent.clear();
  world_.Drain(100);
  EXPECT_EQ(answers_.frames_taken(), 1u);
  EXPECT_TRUE(owner.expired());
}

TEST_F(AnswerSenderTest, NothingIsSentAfterABreak) {
  answers_.Break(absl::InvalidArgumentError("no"));
  EXPECT_TRUE(answers_.closed());
  ASSERT_EQ(stream_->closed.size(), 1u);
  EXPECT_EQ(stream_->closed[0], absl::InvalidArgumentError("no"));
  answers_.SendReturned(1);
  EXPECT_TRUE(stream_->sent.empty());
}

TEST_F(AnswerSenderTest, CloseFromOutsideLeavesTheEndToOnClosed) {
  answers_.Close(absl::UnavailableError("stops"));
  EXPECT_EQ(stream_->closed.size(), 1u);
  EXPECT_FALSE(answers_.closed());
  answers_.Stop();
  EXPECT_TRUE(answers_.closed());
}

}  // namespace
}  // namespace tributary
