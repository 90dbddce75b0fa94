#include "tests/sim/shrink.h"

#include <algorithm>

#include "common/observe/log.h"
#include "gtest/gtest.h"
#include "tests/sim/random_schedule.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/simulate.h"

namespace tributary {
namespace {

bool Has(const Schedule& schedule, SimFault::Kind kind, bool of_server) {
  return std::any_of(schedule.faults.begin(), schedule.faults.end(),
                     [&](const SimFault& fault) {
                       return fault.kind == kind &&
                              fault.node.is_server == of_server;
                     });
}

TEST(Shrink, KeepsOnlyWhatTheFailureNeeds) {
  // Made up: fails with a server's crash, a frozen trainer and three servers.
  const auto fails = [](const Schedule& schedule) {
    return schedule.servers >= 3 &&
           Has(schedule, SimFault::Kind::kCrash, true) &&
           Has(schedule, SimFault::Kind::kFreeze, false);
  };
  int tried = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Schedule schedule = RandomSchedule(seed);
    if (!fails(schedule)) continue;
    ++tried;
    const Schedule shrunk = Shrink(schedule, fails);
    EXPECT_TRUE(fails(shrunk));
    EXPECT_EQ(shrunk.faults.size(), 2u) << shrunk.ToString();
    EXPECT_EQ(shrunk.servers, 3);
    EXPECT_EQ(shrunk.trainers, 1);
    EXPECT_EQ(shrunk.ring, Schedule().ring);
    EXPECT_EQ(shrunk.cut_ppm, 0);
    for (const SimFault& fault : shrunk.faults) {
      EXPECT_EQ(fault.lasts, absl::Milliseconds(1));
      EXPECT_EQ(fault.at, absl::ZeroDuration());
    }
  }
  EXPECT_GT(tried, 20);
}

TEST(Shrink, StopsWhenItMayRunNoMore) {
  int runs = 0;
  const auto fails = [&runs](const Schedule&) {
    ++runs;
    return true;
  };
  Shrink(RandomSchedule(3), fails, {.max_runs = 7});
  EXPECT_EQ(runs, 7);
}

// A planted failure, in real runs: "no batch is ever asked for twice".
TEST(Shrink, AFailingSeedBecomesAShortScheduleThatStillFails) {
  SetLogLevel(LogLevel::kOff);
  SimulateOptions planted;
  planted.also = [](SimWorld& world) {
    for (const auto& seat : world.seats()) {
      if (seat->trainer != nullptr && seat->trainer->stats().reassigned > 0) {
        return false;
      }
    }
    return true;
  };
  const auto fails = [&planted](const Schedule& schedule) {
    const SimResult result = Simulate(schedule, planted);
    return result.failure.has_value() && result.failure->invariant == "also";
  };
  uint64_t seed = 1;
  while (seed < 200 && (RandomSchedule(seed).faults.size() < 3 ||
                        !fails(RandomSchedule(seed)))) {
    ++seed;
  }
  ASSERT_LT(seed, 200u) << "no seed failed";
  const Schedule shrunk = Shrink(RandomSchedule(seed), fails);
  EXPECT_LE(shrunk.faults.size(), 1u) << shrunk.ToString();
  EXPECT_LE(shrunk.servers, 2) << shrunk.ToString();
  EXPECT_LE(shrunk.trainers, 1) << shrunk.ToString();
  // The printed text is enough to reproduce it.
  const auto again = Schedule::Parse(shrunk.ToString());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Simulate(*again, planted).failure,
            Simulate(shrunk, planted).failure);
}

}  // namespace
}  // namespace tributary
