#include "sampler_server/service/grants/grant_sink.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {
namespace {

class Slot final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return absl::MakeSpan(bytes_); }

 private:
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(256);
};

class GrantSinkTest : public ::testing::Test {
 protected:
  // A task that has reserved 1000 bytes.
  std::shared_ptr<GrantSink> Sink(std::shared_ptr<SharedRoom> lent = nullptr) {
    GrantSink::Callbacks callbacks;
    callbacks.ended = [this](TaskEnd end) { ends_.push_back(std::move(end)); };
    callbacks.waits = [this](bool waits) { waits_.push_back(waits); };
    callbacks.gone = [this] {
      ++gone_;
      used_when_gone_ = budget_->used();
      held_when_gone_ = !held_.expired();
    };
    auto hold = std::make_shared<const int>(0);
    held_ = hold;
    auto room = std::make_unique<BatchRoom>(*budget_->TryReserve(1000),
                                            std::move(lent), hold);
    return std::make_shared<GrantSink>(std::move(room), hold, stage_,
                                       std::move(callbacks));
  }

  const std::shared_ptr<ByteBudget> budget_ = ByteBudget::Create("b", 1000);
  const std::shared_ptr<StageTimes> stage_ =
      std::make_shared<StageTimes>(&SteadyClock());
  std::vector<TaskEnd> ends_;
  std::vector<bool> waits_;
  int gone_ = 0;
  size_t used_when_gone_ = 0;
  bool held_when_gone_ = false;
  std::weak_ptr<const int> held_;
};

TEST_F(GrantSinkTest, AFilledBufferStaysReservedUntilItsRoomIsGone) {
  auto sink = Sink();
  const absl::Span<uint8_t> room = sink->AllocateRoom(128);
  ASSERT_EQ(room.size(), 128u);
  room[127] = 7;
  sink->Ready(128, {});
  EXPECT_EQ(budget_->used(), 1000u);  // the task may still work
  sink.reset();
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(used_when_gone_, 128u);
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].kind, TaskEnd::Kind::kReady);
  EXPECT_EQ(ends_[0].bytes, 128u);
  EXPECT_EQ(ends_[0].room->lent(), nullptr);
  EXPECT_EQ(ends_[0].room->buffer().data(), room.data());
  EXPECT_EQ(ends_[0].room->buffer()[127], 7);
  EXPECT_FALSE(held_.expired());
  ends_.clear();
  EXPECT_EQ(budget_->used(), 0u);
  EXPECT_TRUE(held_.expired());
}

TEST_F(GrantSinkTest, ALentSlotIsFilledInPlaceAndTakesNoBudget) {
  auto slot = std::make_shared<Slot>();
  auto sink = Sink(slot);
  const absl::Span<uint8_t> room = sink->AllocateRoom(100);
  EXPECT_EQ(room.data(), slot->bytes().data());
  EXPECT_EQ(room.size(), 100u);
  sink->Ready(100, {});
  sink.reset();
  EXPECT_EQ(used_when_gone_, 0u);
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].room->lent(), slot);
  EXPECT_TRUE(ends_[0].room->buffer().empty());
}

TEST_F(GrantSinkTest, ABatchThatDoesNotFitHoldsNothing) {
  auto sink = Sink(std::make_shared<Slot>());
  sink->Needs(300);
  sink.reset();
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].kind, TaskEnd::Kind::kNeeds);
  EXPECT_EQ(ends_[0].bytes, 300u);
  EXPECT_EQ(ends_[0].room, nullptr);
  EXPECT_EQ(used_when_gone_, 0u);
  // The server is busy until the end of the task has been told.
  EXPECT_TRUE(held_when_gone_);
  EXPECT_TRUE(held_.expired());
}

TEST_F(GrantSinkTest, AFailureAfterTheRoomWasAllocatedFreesIt) {
  auto sink = Sink();
  sink->AllocateRoom(128);
  sink->Failed(absl::AbortedError("disk"));
  sink.reset();
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].kind, TaskEnd::Kind::kFailed);
  EXPECT_EQ(ends_[0].why, absl::AbortedError("disk"));
  EXPECT_EQ(used_when_gone_, 0u);
}

TEST_F(GrantSinkTest, ACancelledTaskOnlyGoes) {
  Sink().reset();
  EXPECT_TRUE(ends_.empty());
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(used_when_gone_, 0u);
  EXPECT_TRUE(held_when_gone_);
}

TEST_F(GrantSinkTest, StagesAreShownAndWaitsToldWhenTheyChange) {
  auto sink = Sink();
  sink->StageChanged(BatchStage::kSampling);
  EXPECT_EQ(stage_->stage(), v1::STAGE_SAMPLING);
  sink->StageChanged(BatchStage::kWaitingForPeer);
  EXPECT_EQ(stage_->stage(), v1::STAGE_WAITING_FOR_PEER);
  sink->StageChanged(BatchStage::kWaitingForDisk);  // waits already
  EXPECT_EQ(stage_->stage(), v1::STAGE_WAITING_FOR_DISK);
  sink->StageChanged(BatchStage::kGathering);
  EXPECT_EQ(stage_->stage(), v1::STAGE_GATHERING);
  EXPECT_EQ(waits_, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace tributary
