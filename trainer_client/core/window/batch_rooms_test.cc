#include "trainer_client/core/window/batch_rooms.h"

#include <gtest/gtest.h>

#include <vector>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

constexpr uint64_t kAny = UINT64_MAX;

// A ring of 16 units of 4 KiB; credits of 4 units at first.
class BatchRoomsTest : public testing::Test {
 protected:
  BatchRoomsTest() {
    for (uint64_t index : {0, 1, 2}) window_.Add(index);
  }
  size_t Allocate(uint64_t index, uint64_t largest_credit = kAny) {
    server_.largest = largest_credit;
    auto slot =
        rooms_.Allocate(*window_.Find(index), server_, window_, &evicted_);
    if (slot == nullptr) return 0;
    slots_.push_back(slot);
    return slot->bytes().size();
  }
  void MakeReady(uint64_t index) {
    auto slot = slots_.back();
    slots_.pop_back();
    const uint64_t bytes = slot->bytes().size();
    WriteBatch({{}, 0, index}, *slot);
    ASSERT_TRUE(slot->Filled(bytes).ok());
    BatchLayout layout(BatchKey{{}, 0, index});
    auto view = BatchView::Parse(slot->bytes().first(layout.Finish()));
    ASSERT_TRUE(view.ok()) << view.status();
    window_.Find(index)->Complete(slot, *view, {});
  }

  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(64 << 10);
  BatchRooms rooms_{ring_, "buffer_size", 4, 100'000};
  FakeServer server_{"a"};
  BatchWindow window_;
  std::vector<std::shared_ptr<ReceiveSlot>> slots_;
  uint64_t evicted_ = 0;
};

TEST_F(BatchRoomsTest, TakesNoMoreThanTheServerCanMake) {
  EXPECT_EQ(Allocate(1), 16 << 10);
  EXPECT_EQ(Allocate(1, 10'048), 10'048);
  // What it is known to need it must have.
  window_.Find(1)->NeedRoom(server_.address(), 12'800, 10'048, 64 << 10);
  EXPECT_EQ(Allocate(1, 10'048), 12'800);
}

TEST_F(BatchRoomsTest, LearnsFromWhatHasArrived) {
  rooms_.OnReceived(8'000);
  EXPECT_EQ(Allocate(1), 9'024);  // 9'000 in whole lines of 64
}

TEST_F(BatchRoomsTest, OnlyTheFrontMakesDoWithLess) {
  const auto held = ReceiveSlot::Allocate(ring_, 56 << 10);  // 14 units of 16
  EXPECT_EQ(Allocate(1), 0);
  EXPECT_EQ(Allocate(0), 8 << 10);  // 16 KiB halved once
}

TEST_F(BatchRoomsTest, EvictsAboveAndNeverBelow) {
  const auto held = ReceiveSlot::Allocate(ring_, 32 << 10);  // 8 units of 16
  for (uint64_t index : {0, 2}) {
    ASSERT_EQ(Allocate(index), 16 << 10);
    MakeReady(index);
  }
  EXPECT_EQ(Allocate(1), 16 << 10);
  EXPECT_EQ(evicted_, 1);
  EXPECT_EQ(window_.Find(2)->state(), PendingBatch::State::kWanted);
  EXPECT_EQ(Allocate(1), 0);
  EXPECT_EQ(window_.Find(0)->state(), PendingBatch::State::kReady);
}

TEST_F(BatchRoomsTest, ABatchLargerThanTheRingSaysWhatToRaise) {
  EXPECT_TRUE(rooms_.CheckFits(65'536).ok());
  const absl::Status status = rooms_.CheckFits(65'537);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "it needs 65537 bytes, buffer_size is 65536: raise buffer_size to "
            "at least 65537");
}

TEST_F(BatchRoomsTest, ABatchLargerThanTheSessionAllowsIsNoReasonToRaiseIt) {
  EXPECT_EQ(rooms_.CheckFits(100'000).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(rooms_.CheckFits(100'001),
            absl::InternalError("it needs 100001 bytes, where no batch of this "
                                "session can have more than 100000"));
}

TEST_F(BatchRoomsTest, LeasesAreToBlameOnlyWhenNothingElseHoldsRoom) {
  const BatchKey key{{}, 0, 0};
  EXPECT_TRUE(rooms_.CheckLeases(4096, key).ok());
  auto slot = ReceiveSlot::Allocate(ring_, 64 << 10);
  EXPECT_TRUE(rooms_.CheckLeases(4096, key).ok());  // on its way
  ASSERT_TRUE(slot->Filled(64 << 10).ok());
  {
    const auto lease = slot->Lend();
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ(rooms_.CheckLeases(4096, key).code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(rooms_.CheckLeases(4096, key).ok());
}

}  // namespace
}  // namespace tributary
