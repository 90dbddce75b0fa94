#include "trainer_client/core/fleet/death_record.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(DeathRecord, BlamesOnlyAfterThreeDeathsTheLastOneAlone) {
  using Fate = DeathRecord::Fate;
  using Decision = DeathRecord::Decision;
  DeathRecord record;
  const auto all = [](Fate fate) {
    return [fate](const DeathRecord::Holder&) { return fate; };
  };
  EXPECT_EQ(record.Decide(all(Fate::kDead)), Decision::kRequest);
  record.AddLost({{"a", 1}, 1});
  record.AddLost({{"a", 1}, 1});  // once
  EXPECT_EQ(record.Decide(all(Fate::kDead)), Decision::kRequest);
  record.AddLost({{"a", 1}, 2});
  EXPECT_EQ(record.Decide(all(Fate::kUnknown)), Decision::kRequestExclusively);
  record.AddLost({{"b", 1}, 1});
  EXPECT_EQ(record.Decide(all(Fate::kUnknown)), Decision::kWait);
  EXPECT_EQ(record.Decide(all(Fate::kDead)), Decision::kGiveUp);
  EXPECT_EQ(record.Decide([](const DeathRecord::Holder& holder) {
    return holder.address.host == "b" ? Fate::kAlive : Fate::kDead;
  }),
            Decision::kRequestExclusively);
  EXPECT_EQ(record.holders().size(), 2);
}

}  // namespace
}  // namespace tributary
