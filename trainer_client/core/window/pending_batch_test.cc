#include "trainer_client/core/window/pending_batch.h"

#include <gtest/gtest.h>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

using State = PendingBatch::State;
const Address kServer{"a", 1};

TEST(PendingBatch, IsDueAfterAFailureOnlyLater) {
  const absl::Time start = absl::UnixEpoch();
  PendingBatch batch(7);
  EXPECT_TRUE(batch.IsDue(start));
  batch.MarkRequested();
  EXPECT_FALSE(batch.IsDue(start));
  batch.Retry(kServer, absl::UnavailableError("full"),
              start + absl::Seconds(2));
  EXPECT_EQ(batch.state(), State::kWanted);
  EXPECT_FALSE(batch.IsDue(start + absl::Seconds(1)));
  EXPECT_TRUE(batch.IsDue(start + absl::Seconds(2)));
  EXPECT_EQ(batch.failures(), 1);
  EXPECT_EQ(batch.avoid(), kServer);
  EXPECT_EQ(batch.error(), absl::UnavailableError("full"));
}

TEST(PendingBatch, IsHedgedOnce) {
  PendingBatch batch(7);
  batch.MarkRequested();
  EXPECT_TRUE(batch.Hedge());
  EXPECT_EQ(batch.state(), State::kWanted);
  batch.MarkRequested();
  EXPECT_FALSE(batch.Hedge());
  EXPECT_EQ(batch.state(), State::kRequested);
}

// The first time it asks for what was said, in whole cache lines; then for a
// quarter more than it had, where the ring has as much.
TEST(PendingBatch, GrowsByAQuarterFromTheSecondTimeOn) {
  PendingBatch batch(7);
  EXPECT_EQ(batch.LeastRoom(kServer), 4096);
  batch.NeedRoom(kServer, 10'001, 8'192, 100'000);
  EXPECT_EQ(batch.LeastRoom(kServer), 10'048);  // 157 lines of 64
  EXPECT_EQ(batch.wanted_bytes(), 10'048);
  batch.NeedRoom(kServer, 10'100, 10'048, 100'000);
  EXPECT_EQ(batch.wanted_bytes(), 12'608);  // 10'048 + 2'512 = 12'560
  EXPECT_EQ(batch.LeastRoom(kServer), 10'112);
  batch.NeedRoom(kServer, 90'000, 88'000, 100'000);
  EXPECT_EQ(batch.wanted_bytes(), 100'000);
  EXPECT_EQ(batch.avoid(), kServer);
}

// Nobody has to believe what another server says.
TEST(PendingBatch, ANeedBindsWhoSaysIt) {
  const Address other{"b", 1};
  PendingBatch batch(7);
  EXPECT_EQ(batch.LeastNeed(), 4096);
  batch.NeedRoom(kServer, 90'048, 8'192, 100'000);
  EXPECT_EQ(batch.LeastRoom(kServer), 90'048);
  EXPECT_EQ(batch.LeastRoom(other), 4096);
  EXPECT_EQ(batch.LeastNeed(), 90'048);
  batch.NeedRoom(other, 9'024, 8'192, 100'000);
  EXPECT_EQ(batch.LeastNeed(), 9'024);
  EXPECT_EQ(batch.ServersWithNeeds(), (std::vector<Address>{kServer, other}));
}

TEST(PendingBatch, AnEvictedBatchKeepsItsSizeAndFreesItsRoom) {
  const auto ring = SlotRing::Create(64 << 10);
  const BatchKey key{{}, 0, 7};
  PendingBatch batch(7);
  auto slot = ReceiveSlot::Allocate(ring, 8'192);
  const uint64_t bytes = WriteBatch(key, *slot);
  ASSERT_TRUE(slot->Filled(bytes).ok());
  batch.Complete(slot, *BatchView::Parse(slot->bytes()), {128, 64});
  EXPECT_EQ(batch.left_out().held, 128u);
  EXPECT_EQ(batch.left_out().compact, 64u);
  slot.reset();
  EXPECT_EQ(batch.state(), State::kReady);
  EXPECT_EQ(ring->stats().ready, 1);
  batch.Evict();
  EXPECT_EQ(batch.state(), State::kWanted);
  EXPECT_EQ(batch.received_bytes(), bytes);
  // Now it comes whole.
  slot = ReceiveSlot::Allocate(ring, 8'192);
  ASSERT_TRUE(slot->Filled(WriteBatch(key, *slot)).ok());
  batch.Complete(slot, *BatchView::Parse(slot->bytes()), {});
  EXPECT_EQ(batch.left_out().held, 0u);
  slot.reset();
  batch.Evict();
  EXPECT_EQ(batch.LeastRoom(kServer), bytes);
  EXPECT_EQ(ring->stats().used_bytes, 0);
}

TEST(PendingBatch, ALeaseOwnsTheRoom) {
  const auto ring = SlotRing::Create(64 << 10);
  const BatchKey key{{}, 3, 7};
  PendingBatch batch(7);
  auto slot = ReceiveSlot::Allocate(ring, 8'192);
  ASSERT_TRUE(slot->Filled(WriteBatch(key, *slot)).ok());
  batch.Complete(slot, *BatchView::Parse(slot->bytes()), {});
  slot.reset();
  {
    const absl::StatusOr<BatchLease> lease = batch.TakeLease();
    ASSERT_TRUE(lease.ok()) << lease.status();
    EXPECT_EQ(lease->view().key(), key);
    EXPECT_EQ(ring->stats().leased, 1);
  }
  EXPECT_EQ(ring->stats().used_bytes, 0);
}

TEST(PendingBatch, LostServersAreRememberedUntilTheyConvictIt) {
  const auto dead = [](const DeathRecord::Holder&) {
    return DeathRecord::Fate::kDead;
  };
  PendingBatch batch(7);
  const FleetLosses fleet{4, absl::Hours(1)};
  for (const char* host : {"a", "b", "c", "d"}) {
    EXPECT_NE(batch.DecideRequest(dead, fleet), DeathRecord::Decision::kGiveUp);
    batch.MarkRequested();
    batch.AddLost({.holder = {{host, 1}, 1},
                   .alone = batch.deaths().is_suspect(),
                   .age = absl::Milliseconds(100)},
                  absl::UnavailableError(host));
    EXPECT_EQ(batch.state(), State::kRequested);
    batch.WantElsewhere({host, 1});
  }
  EXPECT_EQ(batch.avoid(), (Address{"d", 1}));
  EXPECT_EQ(batch.DecideRequest(dead, fleet), DeathRecord::Decision::kGiveUp);
  batch.Fail(absl::AbortedError("they died"));
  EXPECT_FALSE(batch.is_unfinished());
  EXPECT_EQ(batch.error(), absl::AbortedError("they died"));
}

}  // namespace
}  // namespace tributary
