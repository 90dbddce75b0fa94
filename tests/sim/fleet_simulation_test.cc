// Whole fleets under seeded faults. One schedule again:
//   bazel test //tests/sim:fleet_simulation_test --test_arg=--seed=1234
#include "tests/sim/fleet_simulation.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace tributary {

// Set by flags: the schedules [first_seed, first_seed + num_seeds).
uint64_t first_seed = 1;
uint64_t num_seeds = 300;

namespace {

TEST(FleetSimulation, OneServerWithoutFaults) {
  const SimulationReport report = RunSimulation({.num_servers = 1});
  EXPECT_EQ(report.batches, 16u);
  EXPECT_EQ(report.reassigned, 0u);
}

TEST(FleetSimulation, PartitionsAcrossServersMakeTheSameBatches) {
  for (int servers : {2, 3, 5}) {
    RunSimulation(
        {.num_servers = servers, .num_partitions = 4, .num_trainers = 2});
  }
}

TEST(FleetSimulation, ACrashedOwnerComesBackAndNothingIsLost) {
  const SimulationReport report =
      RunSimulation({.num_servers = 2, .num_partitions = 2, .crashes = 2});
  EXPECT_GE(report.crashes, 1);
}

TEST(FleetSimulation, ATrainerGoesOnFromItsCursor) {
  RunSimulation({.num_servers = 2, .resumptions = 3});
}

TEST(FleetSimulation, AServerWithAnotherGraphIsNeverAsked) {
  RunSimulation({.num_servers = 2, .num_trainers = 2, .stranger = true});
}

TEST(FleetSimulation, TheSameSeedIsTheSameRun) {
  const SimulationReport a = RunSimulation(RandomSimulation(17));
  const SimulationReport b = RunSimulation(RandomSimulation(17));
  EXPECT_EQ(a.events, b.events);
}

TEST(FleetSimulation, RandomSchedules) {
  SimulationReport all;
  for (uint64_t seed = first_seed; seed < first_seed + num_seeds; ++seed) {
    const SimulationOptions options = RandomSimulation(seed);
    SCOPED_TRACE(options.ToString());
    const SimulationReport report = RunSimulation(options);
    all.reassigned += report.reassigned;
    all.corrupted += report.corrupted;
    all.crashes += report.crashes;
    if (HasFailure()) return;  // one schedule is enough to look at
  }
  if (num_seeds < 100) return;
  // The faults did happen.
  EXPECT_GT(all.reassigned, num_seeds / 10);
  EXPECT_GT(all.corrupted, num_seeds / 10);
  EXPECT_GT(all.crashes, num_seeds / 4);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--seeds=")) {
      if (!absl::SimpleAtoi(arg, &tributary::num_seeds)) return 2;
    } else if (absl::ConsumePrefix(&arg, "--seed=")) {
      if (!absl::SimpleAtoi(arg, &tributary::first_seed)) return 2;
      tributary::num_seeds = 1;
    }
  }
  return RUN_ALL_TESTS();
}
