#include "trainer_client/core/fleet/death_record.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Fate = DeathRecord::Fate;
using Decision = DeathRecord::Decision;

auto All(Fate fate) {
  return [fate](const DeathRecord::Holder&) { return fate; };
}

// An hour of one server, or 36 s of a hundred, without another loss.
constexpr absl::Duration kHour = absl::Hours(1);

DeathRecord Suspect() {
  DeathRecord record;
  record.AddLost({.holder = {{"a", 1}, 1}});
  record.AddLost({.holder = {{"b", 1}, 1}});
  return record;
}

void DieAlone(DeathRecord& record, uint64_t incarnation, absl::Duration age) {
  record.AddLost(
      {.holder = {{"c", 1}, incarnation}, .alone = true, .age = age});
}

TEST(DeathRecord, BecomesSuspectByTwoLosses) {
  DeathRecord record;
  const FleetLosses fleet{2, kHour};
  EXPECT_EQ(record.Decide(All(Fate::kDead), fleet), Decision::kRequest);
  record.AddLost({.holder = {{"a", 1}, 1}});
  record.AddLost({.holder = {{"a", 1}, 1}});  // once
  EXPECT_EQ(record.Decide(All(Fate::kDead), fleet), Decision::kRequest);
  record.AddLost({.holder = {{"a", 1}, 2}});
  EXPECT_EQ(record.Decide(All(Fate::kUnknown), fleet),
            Decision::kRequestExclusively);
}

// It was one of several batches each time: nothing speaks against it.
TEST(DeathRecord, DeathsBesideOtherBatchesConvictNobody) {
  DeathRecord record;
  for (uint64_t i = 0; i < 100; ++i) {
    record.AddLost({.holder = {{"a", 1}, i}, .age = absl::Milliseconds(1)});
  }
  EXPECT_EQ(record.Decide(All(Fate::kDead), {100, kHour}),
            Decision::kRequestExclusively);
}

// In a healthy fleet: each death comes by chance once in 36,000 times.
TEST(DeathRecord, ConvictsByTwoDeathsAloneInAHealthyFleet) {
  DeathRecord record = Suspect();
  DieAlone(record, 1, absl::Milliseconds(100));
  EXPECT_EQ(record.Decide(All(Fate::kDead), {3, kHour}),
            Decision::kRequestExclusively);
  DieAlone(record, 2, absl::Milliseconds(100));
  EXPECT_EQ(record.Decide(All(Fate::kUnknown), {4, kHour}), Decision::kWait);
  EXPECT_EQ(record.Decide(All(Fate::kDead), {4, kHour}), Decision::kGiveUp);
  // One of them was only cut off.
  EXPECT_EQ(record.Decide(
                [](const DeathRecord::Holder& holder) {
                  return holder.incarnation == 2 ? Fate::kAlive : Fate::kDead;
                },
                {4, kHour}),
            Decision::kRequestExclusively);
  EXPECT_EQ(record.losses().size(), 3);
}

// Servers die every three seconds: a death within one second comes by chance in
// 0.28 of all tries, and a million to one takes eleven of them.
TEST(DeathRecord, NeedsMoreEvidenceWhereServersDieOften) {
  DeathRecord record = Suspect();
  const FleetLosses fleet{1200, kHour};
  for (uint64_t i = 1; i <= 10; ++i) {
    DieAlone(record, i, absl::Seconds(1));
    EXPECT_EQ(record.Decide(All(Fate::kDead), fleet),
              Decision::kRequestExclusively);
  }
  DieAlone(record, 11, absl::Seconds(1));
  EXPECT_EQ(record.Decide(All(Fate::kDead), fleet), Decision::kGiveUp);
}

TEST(DeathRecord, IsBoundedHoweverOftenServersDie) {
  DeathRecord record = Suspect();
  for (uint64_t i = 1; i <= DeathRecord::kMaxDeaths; ++i) {
    EXPECT_NE(record.Decide(All(Fate::kDead), {1u << 20, kHour}),
              Decision::kGiveUp);
    DieAlone(record, i, absl::Hours(1));
  }
  EXPECT_EQ(record.Decide(All(Fate::kDead), {1u << 20, kHour}),
            Decision::kGiveUp);
}

}  // namespace
}  // namespace tributary
