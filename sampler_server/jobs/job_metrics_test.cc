#include "sampler_server/jobs/job_metrics.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BatchCost Batch(size_t bytes) {
  return {.cpu = absl::Milliseconds(250), .bytes = bytes};
}

TEST(JobMetricsTest, CountsBatchesBytesAndTimeByJob) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  jobs.AddBatch("a", false, Batch(100));
  jobs.AddBatch("a", false, Batch(11));
  jobs.AddBatch("b \"\n", false, Batch(0));  // none was made
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("tributary_job_batches_total{job=\"a\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("tributary_job_batch_bytes_total{job=\"a\"} 111\n"));
  EXPECT_THAT(text,
              HasSubstr("tributary_job_cpu_seconds_total{job=\"a\"} 0.5\n"));
  EXPECT_THAT(text,
              HasSubstr("tributary_job_batches_total{job=\"b \\\"\\n\"} 0\n"));
}

TEST(JobMetricsTest, CountsTheTimeOfDataCallsByJob) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  jobs.AddDataCalls("a", false, absl::Milliseconds(500));
  jobs.AddDataCalls("a", false, absl::Milliseconds(750));
  EXPECT_THAT(
      metrics.Exposition(),
      HasSubstr("tributary_job_data_cpu_seconds_total{job=\"a\"} 1.25\n"));
}

TEST(JobMetricsTest, ShowsWhatIsAndNotWhatWas) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  jobs.SetJobs({{.name = "a", .waiting = 3, .unread_bytes = 70}});
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_job_credits_queued{job=\"a\"} 3\n"));
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_job_unread_bytes{job=\"a\"} 70\n"));
  jobs.SetJobs({});
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_job_credits_queued{job=\"a\"} 0\n"));
}

TEST(JobMetricsTest, NamesThatClientsMakeUpAreNoMoreThanAFew) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  for (int i = 0; i < 1000; ++i) {
    jobs.AddBatch(absl::StrCat("x", i), false, Batch(1));
  }
  jobs.AddBatch("listed", true, Batch(5));
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("tributary_job_batches_total{job=\"x31\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("x32")));
  EXPECT_THAT(text,
              HasSubstr("tributary_job_batches_total{job=\"(others)\"} 968\n"));
  EXPECT_THAT(text,
              HasSubstr("tributary_job_batch_bytes_total{job=\"listed\"} 5\n"));
}

TEST(JobMetricsTest, CountsBatchesAskedForAndDelivered) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  jobs.AddRequest("a", false);
  jobs.AddRequest("a", false);
  jobs.AddDelivered("a", false);
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("tributary_job_credits_total{job=\"a\"} 2\n"));
  EXPECT_THAT(
      text, HasSubstr("tributary_job_batches_delivered_total{job=\"a\"} 1\n"));
}

TEST(JobMetricsTest, AJobThatReportsNoWaitHasNoWaitRatio) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  jobs.AddRequest("b", false);
  jobs.SetWaits({{"a", false, 0.25}});
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_trainer_wait_ratio{job=\"a\"} 0.25\n"));
  EXPECT_THAT(metrics.Exposition(),
              Not(HasSubstr("tributary_trainer_wait_ratio{job=\"b\"")));
  jobs.SetWaits({{"a", false, 0}});
  EXPECT_THAT(metrics.Exposition(),
              HasSubstr("tributary_trainer_wait_ratio{job=\"a\"} 0\n"));
  jobs.SetWaits({});
  EXPECT_THAT(metrics.Exposition(), Not(HasSubstr("trainer_wait_ratio{")));
}

TEST(JobMetricsTest, JobsThatShareALabelShowTheLargestWait) {
  Metrics metrics;
  JobMetrics jobs;
  jobs.SetRegistry(&metrics);
  for (int i = 0; i < 32; ++i) jobs.AddRequest(absl::StrCat("x", i), false);
  jobs.SetWaits({{"y", false, 0.5}, {"z", false, 0.25}, {"l", true, 0.75}});
  const std::string text = metrics.Exposition();
  EXPECT_THAT(
      text, HasSubstr("tributary_trainer_wait_ratio{job=\"(others)\"} 0.5\n"));
  EXPECT_THAT(text,
              HasSubstr("tributary_trainer_wait_ratio{job=\"l\"} 0.75\n"));
}

TEST(JobMetricsTest, WithoutARegistryNothingIsCounted) {
  JobMetrics jobs;
  jobs.AddRequest("a", false);
  jobs.AddDelivered("a", false);
  jobs.SetWaits({{"a", false, 1}});
  jobs.AddBatch("a", false, Batch(1));
  jobs.SetJobs({{.name = "a"}});
}

}  // namespace
}  // namespace tributary
