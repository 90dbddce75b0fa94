#include "tests/sim/schedule.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/sim/random_schedule.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(Schedule, ThePlainOneHasNoWords) { EXPECT_EQ(Schedule().ToString(), ""); }

TEST(Schedule, SaysWhatDiffersAndTheFaults) {
  Schedule schedule;
  schedule.servers = 3;
  schedule.ring = 8192;
  schedule.faults = {{.kind = SimFault::Kind::kCrash,
                      .node = {true, 2},
                      .at = absl::Microseconds(12'500),
                      .lasts = absl::Seconds(1)},
                     {.kind = SimFault::Kind::kPartOneWay,
                      .node = {false, 0},
                      .other = {true, 1},
                      .lasts = absl::Milliseconds(5)},
                     {.kind = SimFault::Kind::kStarve,
                      .node = {true, 0},
                      .percent = 90,
                      .at = absl::Milliseconds(1),
                      .lasts = absl::Milliseconds(2)}};
  const std::string text = schedule.ToString();
  EXPECT_EQ(text,
            "servers=3 ring=8192; crash s2 at=12.5ms for=1s; "
            "part-one-way t0 s1 at=0 for=5ms; "
            "starve s0 percent=90 at=1ms for=2ms");
  const auto parsed = Schedule::Parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(*parsed == schedule);
}

TEST(Schedule, EveryRandomOneIsReadBackAsItWas) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Schedule schedule = RandomSchedule(seed);
    const auto parsed = Schedule::Parse(schedule.ToString());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_TRUE(*parsed == schedule) << schedule.ToString();
    Schedule normal = schedule;
    Normalize(normal);
    ASSERT_TRUE(normal == schedule) << schedule.ToString();
  }
}

TEST(Schedule, WhatIsWrongIsNamed) {
  for (const char* text :
       {"server=3", "servers=9", "servers=x", "servers", "; boom s1", "; crash",
        "; crash x1", "; crash s-1", "; part s0 at=1ms", "; crash s0 at=soon",
        "; crash s0 when=1s"}) {
    const auto parsed = Schedule::Parse(text);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("wanted"));
  }
}

TEST(Schedule, NormalizingDropsFaultsOfWhoIsNotThere) {
  Schedule schedule;
  schedule.owners = 3;
  schedule.jobs = 2;
  const SimFault of_s0{.node = {true, 0}};
  const SimFault of_s1{.node = {true, 1}};
  const SimFault drains_a_trainer{.kind = SimFault::Kind::kDrain,
                                  .node = {false, 0}};
  schedule.faults = {of_s1, of_s0, drains_a_trainer};
  Normalize(schedule);
  EXPECT_EQ(schedule.owners, 1);
  EXPECT_EQ(schedule.jobs, 1);
  ASSERT_EQ(schedule.faults.size(), 1u);
  EXPECT_TRUE(schedule.faults[0] == of_s0);
}

TEST(Schedule, IsCalmAfterTheLastFault) {
  Schedule schedule;
  EXPECT_TRUE(schedule.IsCalm());
  EXPECT_EQ(schedule.CalmAfter(), absl::Milliseconds(100));
  schedule.faults = {
      {.at = absl::Milliseconds(50), .lasts = absl::Milliseconds(70)}};
  EXPECT_FALSE(schedule.IsCalm());
  EXPECT_EQ(schedule.CalmAfter(), absl::Milliseconds(120));
}

}  // namespace
}  // namespace tributary
