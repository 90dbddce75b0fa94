#include "sampler_server/service/load/wait_reports.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

absl::Time At(double seconds) {
  return absl::FromUnixSeconds(1000) + absl::Seconds(seconds);
}

TEST(WaitReportsTest, TheLargestOfAJobsStreams) {
  WaitReports reports;
  EXPECT_THAT(reports.ByJob(At(0)), IsEmpty());
  EXPECT_EQ(reports.Largest(At(0)), 0);
  reports.Set(1, "a", 0.25, At(0));
  reports.Set(2, "a", 0.5, At(0));
  reports.Set(3, "b", 0, At(0));
  EXPECT_THAT(reports.ByJob(At(1)), ElementsAre(Pair("a", 0.5), Pair("b", 0)));
  EXPECT_EQ(reports.Largest(At(1)), 0.5);
}

TEST(WaitReportsTest, ALaterReportReplacesTheOneBefore) {
  WaitReports reports;
  reports.Set(1, "a", 0.75, At(0));
  reports.Set(1, "a", 0.125, At(5));
  EXPECT_THAT(reports.ByJob(At(5)), ElementsAre(Pair("a", 0.125)));
  reports.Set(1, "b", 0.25, At(10));  // the stream has named another job
  EXPECT_THAT(reports.ByJob(At(10)), ElementsAre(Pair("b", 0.25)));
}

TEST(WaitReportsTest, AReportIsForgottenWithItsStreamAndAfterAMinute) {
  WaitReports reports;
  reports.Set(1, "a", 0.75, At(0));
  reports.Set(2, "b", 0.5, At(30));
  EXPECT_THAT(reports.ByJob(At(59)),
              ElementsAre(Pair("a", 0.75), Pair("b", 0.5)));
  EXPECT_THAT(reports.ByJob(At(60)), ElementsAre(Pair("b", 0.5)));
  reports.Remove(2);
  reports.Remove(7);
  EXPECT_THAT(reports.ByJob(At(60)), IsEmpty());
}

}  // namespace
}  // namespace tributary
