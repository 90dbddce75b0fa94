#include "trainer_client/core/window/batch_window.h"

#include <gtest/gtest.h>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

using State = PendingBatch::State;

void MakeReady(PendingBatch& batch, const std::shared_ptr<SlotRing>& ring) {
  auto slot = ReceiveSlot::Allocate(ring, 4'096);
  const uint64_t bytes = WriteBatch({{}, 0, batch.index()}, *slot);
  ASSERT_TRUE(slot->Filled(bytes).ok());
  batch.Complete(slot, *BatchView::Parse(slot->bytes()), {});
}

TEST(BatchWindow, FindsByIndex) {
  BatchWindow window;
  for (uint64_t index : {3, 6, 9}) window.Add(index);
  EXPECT_EQ(window.Find(6)->index(), 6);
  EXPECT_EQ(window.Find(5), nullptr);
  EXPECT_EQ(window.Find(10), nullptr);
  window.PopFront();
  EXPECT_EQ(window.Find(3), nullptr);
}

TEST(BatchWindow, EvictsTheHighestReadyOneAbove) {
  const auto ring = SlotRing::Create(64 << 10);
  BatchWindow window;
  for (uint64_t index : {0, 1, 2, 3}) window.Add(index);
  for (uint64_t index : {0, 1, 2}) MakeReady(*window.Find(index), ring);
  window.Find(3)->MarkRequested();
  EXPECT_TRUE(window.EvictAbove(0));
  EXPECT_EQ(window.Find(2)->state(), State::kWanted);
  EXPECT_FALSE(window.EvictAbove(1));
  EXPECT_TRUE(window.EvictAbove(0));
  EXPECT_FALSE(window.EvictAbove(0));
  EXPECT_EQ(window.Find(0)->state(), State::kReady);
}

TEST(BatchWindow, IsFinishedWhenAllAreReadyOrFailed) {
  BatchWindow window;
  EXPECT_FALSE(window.AnyUnfinished());
  window.Add(0);
  window.Add(1);
  MakeReady(window.front(), SlotRing::Create(4'096));
  EXPECT_TRUE(window.AnyUnfinished());
  window.Find(1)->Fail(absl::AbortedError("no"));
  EXPECT_FALSE(window.AnyUnfinished());
}

}  // namespace
}  // namespace tributary
