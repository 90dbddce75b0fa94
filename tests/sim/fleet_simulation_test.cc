// Whole fleets under seeded faults. docs/testing.md says how to reproduce a
// failure and shorten it.
//   --seed=N            run one seed    --first-seed=N --seeds=N   a range
//   --schedule='TEXT'   as printed      --shrink   shorten what fails
// TRIBUTARY_SIM_SEEDS is the number of seeds if no flag gives it.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "common/observe/log.h"
#include "gtest/gtest.h"
#include "tests/sim/random_schedule.h"
#include "tests/sim/shrink.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/simulate.h"

namespace tributary {

struct Flags {
  uint64_t first_seed = 1;
  uint64_t num_seeds = 5'000;
  bool all = true;  // no single schedule was asked for
  std::optional<Schedule> schedule;
  bool shrink = false;
};
Flags flags;

// The schedule that is running, for a crash of this process.
char running[4096];

namespace {

void OnFatalSignal(int signal) {
  const char* const text = "\nthis process died in the schedule\n  ";
  (void)!write(2, text, strlen(text));
  (void)!write(2, running, strlen(running));
  (void)!write(2, "\n", 1);
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

SimResult RunOne(const Schedule& schedule) {
  const std::string text = schedule.ToString();
  snprintf(running, sizeof(running), "%s", text.c_str());
  return Simulate(schedule);
}

std::string Shorter(const Schedule& schedule, const SimFailure& failure) {
  return Shrink(schedule,
                [&failure](const Schedule& candidate) {
                  const SimResult result = RunOne(candidate);
                  return result.failure.has_value() &&
                         result.failure->invariant == failure.invariant;
                })
      .ToString();
}

// Returns true if nothing was wrong.
bool Expect(const Schedule& schedule, const SimResult& result) {
  if (!result.failure.has_value()) return true;
  ADD_FAILURE() << "seed " << schedule.seed << ": "
                << result.failure->ToString() << "\n  --schedule='"
                << schedule.ToString() << "'"
                << (flags.shrink
                        ? absl::StrCat("\nshorter:\n  --schedule='",
                                       Shorter(schedule, *result.failure), "'")
                        : "\n  (add --shrink to make it short)");
  return false;
}

SimCoverage RunSeeds(uint64_t first, uint64_t count) {
  SimCoverage all;
  absl::Duration longest;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Schedule schedule = RandomSchedule(seed);
    const SimResult result = RunOne(schedule);
    all.Add(result.coverage);
    longest = std::max(longest, result.after_calm);
    if (!Expect(schedule, result)) break;  // one is enough to look at
  }
  std::cout << all.ToString() << "longest epoch after the last fault "
            << longest << "\n";
  return all;
}

TEST(FleetSimulation, RandomSchedules) {
  if (flags.schedule.has_value()) {
    const SimResult result = RunOne(*flags.schedule);
    std::cout << result.coverage.ToString();
    Expect(*flags.schedule, result);
    return;
  }
  const absl::Time start = absl::Now();
  const SimCoverage all = RunSeeds(flags.first_seed, flags.num_seeds);
  std::cout << "per schedule "
            << (absl::Now() - start) / static_cast<double>(all.runs) << "\n";
  if (all.runs < 2000 || HasFailure()) return;
  // Each fault and each way of recovery occurs.
  for (const SimCounter& counter : SimCounters()) {
    EXPECT_GE(all.*counter.value, all.runs / 2000) << counter.name;
  }
}

// Found by seeds that CI does not run.
TEST(FleetSimulation, WhatFailedBefore) {
  if (!flags.all) GTEST_SKIP();
  for (const char* text :
       {// Streams that come and go between two patrols.
        "seed=578627 servers=2 trainers=2 kind=1 prefetch=5 frame=500 "
        "window=1 drift_ppm=100000 rough_ms=1000 corrupt_ppm=30000 "
        "refuse_ppm=200000 twice_ppm=50000; freeze s1 at=41ms for=500ms",
        // A trainer's own standstill is no sign that servers died.
        "seed=871693 servers=7 owners=2 trainers=3 batches=4 replace=1 "
        "draws=5 prefetch=6 held=3 checkpoint=2 timeout_ms=40000 memory=65536 "
        "running_per_stream=1 sessions=2 frame=500 leaf_reply=300 "
        "drift_ppm=10000 latency_us=100 rough_ms=20 corrupt_ppm=30000 "
        "detect_ms=500; freeze t2 at=7.415ms for=16.357819s",
        // A peer's error that cannot be parsed says nothing of the request.
        "seed=18990 servers=5 partitions=4 owners=2 trainers=3 jobs=2 "
        "predicates=2 certificates=1 abuses=72 prefetch=5 ring=8192 held=3 "
        "step_us=20000 checkpoint=3 running=2 queued=10 sessions=7 frame=3000 "
        "drift_ppm=10000 latency_us=100 rough_ms=1000 corrupt_ppm=30000 "
        "cut_ppm=1000 detect_ms=500 disk_us=50 disk_error_ppm=500000; "
        "drain s1 at=7.023ms for=1.153041s; "
        "starve s2 percent=50 at=7.449ms for=1.594691s; "
        "reset s0 at=15.407ms for=778.482ms; "
        "crash t2 at=35.457ms for=2.479908s; "
        "freeze t2 at=44.631ms for=8.363ms",
        // A flipped bit of the version makes nobody a server of another one,
        // whose word would not count beside a lie.
        "seed=504144 servers=2 owners=2 trainers=5 abuses=65761 ring=12288 "
        "latency_us=100 corrupt_ppm=1000 cut_ppm=10000"}) {
    const auto schedule = Schedule::Parse(text);
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    Expect(*schedule, RunOne(*schedule));
  }
}

TEST(FleetSimulation, TheSameSeedIsTheSameRun) {
  if (!flags.all) GTEST_SKIP();
  for (uint64_t seed : {17, 18, 19}) {
    const SimResult a = Simulate(RandomSchedule(seed));
    const SimResult b = Simulate(RandomSchedule(seed));
    EXPECT_EQ(a.history, b.history);
    EXPECT_EQ(a.coverage.events, b.coverage.events);
    EXPECT_EQ(a.coverage.ToString(), b.coverage.ToString());
  }
  EXPECT_NE(Simulate(RandomSchedule(17)).history,
            Simulate(RandomSchedule(18)).history);
}

// Its loader fills its window and then requests nothing; the other job's
// batches come as usual, and its own continue afterwards.
TEST(FleetSimulation, AReaderThatStopsForAMinuteStopsNobodyElse) {
  if (!flags.all) GTEST_SKIP();
  const auto schedule = Schedule::Parse(
      "servers=2 trainers=2 jobs=2 partitions=2 batches=20 ring=131072 "
      "memory=1048576; away t0 at=3ms for=60s");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  std::optional<absl::Time> start;
  absl::Time taken[2] = {};  // when the last batch of each was
  uint64_t delivered[2] = {};
  SimulateOptions options;
  options.also = [&](SimWorld& world) {
    if (!start.has_value()) start = world.start();
    for (const int t : {0, 1}) {
      const auto& trainer = world.seats()[t]->trainer;
      if (trainer == nullptr || trainer->delivered() == delivered[t]) continue;
      delivered[t] = trainer->delivered();
      taken[t] = world.scheduler().now();
    }
    return true;
  };
  ASSERT_TRUE(Expect(*schedule, Simulate(*schedule, options)));
  EXPECT_EQ(delivered[0], 20u);
  EXPECT_EQ(delivered[1], 20u);
  EXPECT_LT(taken[1] - *start, absl::Seconds(2));
  EXPECT_GT(taken[0] - *start, absl::Minutes(1));
  EXPECT_LT(taken[0] - *start, absl::Minutes(1) + absl::Seconds(2));
}

}  // namespace

bool ReadFlags(int argc, char** argv) {
  const char* const seeds = std::getenv("TRIBUTARY_SIM_SEEDS");
  if (seeds != nullptr && !absl::SimpleAtoi(seeds, &flags.num_seeds)) {
    return false;
  }
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--seeds=")) {
      if (!absl::SimpleAtoi(arg, &flags.num_seeds)) return false;
    } else if (absl::ConsumePrefix(&arg, "--first-seed=")) {
      if (!absl::SimpleAtoi(arg, &flags.first_seed)) return false;
    } else if (absl::ConsumePrefix(&arg, "--seed=")) {
      if (!absl::SimpleAtoi(arg, &flags.first_seed)) return false;
      flags.num_seeds = 1;
      flags.all = false;
    } else if (absl::ConsumePrefix(&arg, "--schedule=")) {
      const auto schedule = Schedule::Parse(arg);
      if (!schedule.ok()) std::cerr << schedule.status() << "\n";
      if (!schedule.ok()) return false;
      flags.schedule = *schedule;
      flags.all = false;
    } else if (arg == "--shrink") {
      flags.shrink = true;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace tributary

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!tributary::ReadFlags(argc, argv)) return 2;
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) {
    std::signal(signal, tributary::OnFatalSignal);
  }
  tributary::SetLogLevel(tributary::LogLevel::kOff);
  return RUN_ALL_TESTS();
}
