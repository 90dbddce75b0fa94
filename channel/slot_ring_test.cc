#include "channel/slot_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace tributary {
namespace {

using ::testing::HasSubstr;
constexpr size_t kUnit = SlotRing::kUnit;

TEST(SlotRingTest, ASlotGoesThroughItsStates) {
  auto ring = SlotRing::Create(10 * kUnit);
  const auto slot = ring->Allocate(3 * kUnit);
  ASSERT_TRUE(slot.has_value());
  EXPECT_EQ(ring->stats().granted, 1);
  EXPECT_EQ(ring->stats().used_bytes, 3 * kUnit);
  EXPECT_EQ(ring->Bytes(*slot)->size(), 3 * kUnit);

  ASSERT_TRUE(ring->MarkReady(*slot, kUnit + 1).ok());
  EXPECT_EQ(ring->stats().ready, 1);
  EXPECT_EQ(ring->stats().used_bytes, 2 * kUnit) << "the tail is free again";
  EXPECT_EQ(ring->Bytes(*slot)->size(), kUnit + 1);

  auto lease = ring->Lease(*slot);
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->get(), ring->Bytes(*slot)->data());
  EXPECT_EQ(ring->stats().leased, 1);
  EXPECT_EQ(ring->stats().leased_bytes, 2 * kUnit);
  auto copy = *lease;
  lease->reset();
  EXPECT_EQ(ring->stats().leased, 1);
  copy.reset();
  EXPECT_EQ(ring->stats().leased, 0);
  EXPECT_EQ(ring->stats().used_bytes, 0);
  EXPECT_EQ(ring->stats().peak_bytes, 3 * kUnit);
  EXPECT_EQ(ring->stats().largest_free_bytes, 10 * kUnit);
}

TEST(SlotRingTest, AGrantedSlotIsNotGivenAgainUntilReturned) {
  auto ring = SlotRing::Create(2 * kUnit);
  const auto slot = ring->Allocate(2 * kUnit);
  EXPECT_FALSE(ring->Allocate(1).has_value());
  ASSERT_TRUE(ring->Free(*slot).ok());
  EXPECT_TRUE(ring->Allocate(2 * kUnit).has_value());
}

TEST(SlotRingTest, WrongMovesAreRefusedByName) {
  auto ring = SlotRing::Create(4 * kUnit);
  const auto slot = ring->Allocate(100);
  EXPECT_EQ(
      ring->Lease(*slot).status(),
      absl::FailedPreconditionError("slot 1 is granted and cannot be leased"));
  EXPECT_THAT(std::string(ring->MarkReady(*slot, 101).message()),
              HasSubstr("slot 1 of 100 bytes cannot be ready with 101"));
  ASSERT_TRUE(ring->MarkReady(*slot, 100).ok());
  EXPECT_FALSE(ring->MarkReady(*slot, 100).ok());
  auto lease = ring->Lease(*slot);
  EXPECT_FALSE(ring->Free(*slot).ok()) << "only its lease may";
  EXPECT_FALSE(ring->Lease(*slot).ok());
  lease->reset();
  EXPECT_FALSE(ring->Free(*slot).ok());
  EXPECT_FALSE(ring->Bytes(*slot).ok());
  EXPECT_FALSE(ring->Free(77).ok());
}

TEST(SlotRingTest, ExtentsJoinAgainInAnyOrderOfReturn) {
  std::vector<int> order = {0, 1, 2, 3};
  do {
    auto ring = SlotRing::Create(4 * kUnit);
    std::vector<SlotId> slots;
    for (int i = 0; i < 4; ++i) slots.push_back(*ring->Allocate(kUnit));
    EXPECT_FALSE(ring->Allocate(1).has_value());
    for (int i : order) ASSERT_TRUE(ring->Free(slots[i]).ok());
    EXPECT_TRUE(ring->Allocate(4 * kUnit).has_value());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SlotRingTest, TheTightestHoleIsTaken) {
  auto ring = SlotRing::Create(16 * kUnit);
  const auto a = *ring->Allocate(4 * kUnit);  // [0, 4)
  (void)*ring->Allocate(kUnit);               // [4, 5)
  const auto c = *ring->Allocate(2 * kUnit);  // [5, 7)
  (void)*ring->Allocate(9 * kUnit);           // [7, 16)
  uint8_t* const hole = ring->Bytes(c)->data();
  ASSERT_TRUE(ring->Free(a).ok());
  ASSERT_TRUE(ring->Free(c).ok());
  const auto d = *ring->Allocate(2 * kUnit);
  EXPECT_EQ(ring->Bytes(d)->data(), hole);
  EXPECT_EQ(ring->stats().largest_free_bytes, 4 * kUnit);
}

TEST(SlotRingTest, RefusesWhatDoesNotFit) {
  auto ring = SlotRing::Create(3 * kUnit + 1);
  EXPECT_EQ(ring->capacity(), 4 * kUnit);
  EXPECT_FALSE(ring->Allocate(4 * kUnit + 1).has_value());
  EXPECT_FALSE(ring->Allocate(SIZE_MAX).has_value());
  EXPECT_TRUE(ring->Allocate(0).has_value());
  EXPECT_EQ(ring->stats().used_bytes, kUnit);
  EXPECT_FALSE(SlotRing::Create(0)->Allocate(0).has_value());
}

TEST(SlotRingTest, LeasesOutliveTheRingsLastHolder) {
  auto ring = SlotRing::Create(4 * kUnit);
  const auto slot = *ring->Allocate(kUnit);
  const absl::Span<uint8_t> bytes = *ring->Bytes(slot);
  EXPECT_EQ(bytes.size(), kUnit);
  ASSERT_TRUE(ring->MarkReady(slot, kUnit).ok());
  auto lease = *ring->Lease(slot);
  ring.reset();
  std::memset(bytes.data(), 7, kUnit);
  EXPECT_EQ(static_cast<const uint8_t*>(lease.get())[kUnit - 1], 7);
}

TEST(SlotRingTest, TellsOfFreedRoomWithoutItsLock) {
  auto ring = SlotRing::Create(4 * kUnit);
  int told = 0;
  size_t free_then = 0;
  ring->OnRoomFreed([&, raw = ring.get()] {
    ++told;
    free_then = raw->stats().largest_free_bytes;  // would deadlock
  });
  const auto slot = *ring->Allocate(4 * kUnit);
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(ring->MarkReady(slot, kUnit).ok());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(free_then, 3 * kUnit);
  { auto lease = ring->Lease(slot); }
  EXPECT_EQ(told, 2);
  EXPECT_EQ(free_then, 4 * kUnit);
  ring->OnRoomFreed(nullptr);
  ASSERT_TRUE(ring->Free(*ring->Allocate(1)).ok());
  EXPECT_EQ(told, 2);
}

// Against a model that keeps one owner per unit.
class SlotRingModel {
 public:
  explicit SlotRingModel(size_t units) : owner_(units, 0) {}
  void Take(SlotId id, size_t from, size_t units) {
    for (size_t i = from; i < from + units; ++i) {
      ASSERT_EQ(owner_.at(i), 0) << "unit " << i << " given twice";
      owner_[i] = id;
    }
  }
  void Keep(SlotId id, size_t units) {
    for (auto& owner : owner_) {
      if (owner != id) continue;
      if (units > 0) {
        --units;
      } else {
        owner = 0;
      }
    }
  }
  size_t used() const {
    return owner_.size() - std::count(owner_.begin(), owner_.end(), 0);
  }
  size_t largest_hole() const {
    size_t largest = 0, run = 0;
    for (const SlotId owner : owner_) {
      run = owner == 0 ? run + 1 : 0;
      largest = std::max(largest, run);
    }
    return largest;
  }

 private:
  std::vector<SlotId> owner_;
};

TEST(SlotRingTest, AgreesWithTheModel) {
  constexpr size_t kUnits = 64;
  auto ring = SlotRing::Create(kUnits * kUnit);
  SlotRingModel model(kUnits);
  uint8_t* const base = [&] {
    const auto all = *ring->Allocate(kUnits * kUnit);
    uint8_t* const data = ring->Bytes(all)->data();
    EXPECT_TRUE(ring->Free(all).ok());
    return data;
  }();
  std::mt19937 random(3);
  std::vector<SlotId> granted, ready;
  std::vector<std::pair<SlotId, std::shared_ptr<const void>>> leased;
  const auto take = [&random](auto& from) {
    std::swap(from[random() % from.size()], from.back());
    auto taken = std::move(from.back());
    from.pop_back();
    return taken;
  };
  for (int round = 0; round < 20000; ++round) {
    switch (random() % 6) {
      case 0:
      case 1: {
        const size_t bytes = random() % (12 * kUnit);
        const size_t units = std::max<size_t>(1, (bytes + kUnit - 1) / kUnit);
        const auto slot = ring->Allocate(bytes);
        ASSERT_EQ(slot.has_value(), units <= model.largest_hole());
        if (!slot) break;
        const size_t at = (ring->Bytes(*slot)->data() - base) / kUnit;
        ASSERT_NO_FATAL_FAILURE(model.Take(*slot, at, units));
        granted.push_back(*slot);
        break;
      }
      case 2:
        if (granted.empty()) break;
        ready.push_back(take(granted));
        {
          const size_t bytes =
              random() % (ring->Bytes(ready.back())->size() + 1);
          ASSERT_TRUE(ring->MarkReady(ready.back(), bytes).ok());
          model.Keep(ready.back(),
                     std::max<size_t>(1, (bytes + kUnit - 1) / kUnit));
        }
        break;
      case 3: {
        if (ready.empty()) break;
        const SlotId slot = take(ready);
        leased.emplace_back(slot, *ring->Lease(slot));
        break;
      }
      case 4: {
        if (leased.empty()) break;
        const auto lease = take(leased);
        model.Keep(lease.first, 0);
        break;
      }
      case 5: {
        if (granted.empty()) break;
        const SlotId back = take(granted);
        ASSERT_TRUE(ring->Free(back).ok());
        model.Keep(back, 0);
        break;
      }
    }
    const SlotRingStats stats = ring->stats();
    ASSERT_EQ(stats.used_bytes, model.used() * kUnit) << "round " << round;
    ASSERT_EQ(stats.largest_free_bytes, model.largest_hole() * kUnit);
    ASSERT_EQ(stats.granted, granted.size());
    ASSERT_EQ(stats.ready, ready.size());
    ASSERT_EQ(stats.leased, leased.size());
  }
}

TEST(SlotRingTest, LeasesMayEndOnAnyThread) {
  auto ring = SlotRing::Create(64 * kUnit);
  std::atomic<int> told = 0;
  ring->OnRoomFreed([&told] { ++told; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([ring] {
      for (int i = 0; i < 500; ++i) {
        const auto slot = ring->Allocate(3 * kUnit);
        if (!slot) continue;
        ASSERT_TRUE(ring->MarkReady(*slot, 3 * kUnit).ok());
        auto lease = ring->Lease(*slot);
        ASSERT_TRUE(lease.ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(told, 0);
  EXPECT_EQ(ring->stats().used_bytes, 0);
  EXPECT_EQ(ring->stats().largest_free_bytes, 64 * kUnit);
}

}  // namespace
}  // namespace tributary
