#include "sampler_server/access/caller_refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// Connecting again, from other ports or other hosts, brings no more lines.
TEST(CallerRefusals, AreCountedAndLoggedOnceForAReasonAndAJob) {
  Metrics metrics;
  CallerRefusals refusals(metrics);
  CaptureStderr();
  for (int i = 0; i < 200; ++i) {
    refusals.Note(CallerRefusals::kJob,
                  Caller{absl::StrCat("ipv4:10.0.", i, ".1:", 1000 + i),
                         Identity{Role::kTrainer, "thief"}},
                  absl::PermissionDeniedError("names\njob \x1b[1mx"));
  }
  const std::string log = GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_THAT(log, HasSubstr("refused (job) trainer/thief at ipv4:10.0.0.1:1000"
                             ": names\\njob \\x1b[1mx"));
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_refused_total{reason=\"job\"} 200"));
}

TEST(CallerRefusals, WithoutMetricsNothingIsSaid) {
  CallerRefusals refusals;
  CaptureStderr();
  refusals.Note(CallerRefusals::kQueue, Caller{"10.0.0.1:1", {}},
                absl::ResourceExhaustedError("full"));
  EXPECT_EQ(GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tributary
