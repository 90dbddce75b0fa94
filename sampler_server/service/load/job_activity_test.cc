#include "sampler_server/service/load/job_activity.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/testing/held_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kStart = absl::UnixEpoch() + absl::Hours(1);

DeliveredBatch Batch(uint64_t index, absl::Duration sample,
                     absl::Duration send = absl::ZeroDuration()) {
  DeliveredBatch batch{.epoch = 1, .index = index, .bytes = 1000};
  batch.times[static_cast<size_t>(TimedStage::kSample)] = sample;
  batch.times[static_cast<size_t>(TimedStage::kSend)] = send;
  return batch;
}

class JobActivityTest : public testing::Test {
 protected:
  void Deliver(const std::string& job, absl::Duration at, bool listed = false) {
    activity_.AddDelivered(job, listed, Batch(0, absl::Milliseconds(1)),
                           kStart + at);
  }
  JobFigures Of(const std::string& job, absl::Duration at) {
    for (JobFigures& figures : activity_.Jobs(kStart + at)) {
      if (figures.job == job) return figures;
    }
    ADD_FAILURE() << "no job " << job;
    return {};
  }

  JobActivity activity_;
};

TEST_F(JobActivityTest, CountsTheLastMinute) {
  for (int second = 0; second < 120; ++second) {
    Deliver("alpha", absl::Seconds(second));
  }
  // 11 whole buckets, and 4.5 s of the one that is under way.
  const JobFigures figures = Of("alpha", absl::Seconds(119.5));
  EXPECT_EQ(figures.batches, 60u);
  EXPECT_EQ(figures.bytes, 60'000u);
  EXPECT_EQ(figures.covered, absl::Seconds(59.5));
  EXPECT_EQ(Total(figures.times), absl::Milliseconds(60));
}

TEST_F(JobActivityTest, WhatIsOlderThanAMinuteDoesNotCount) {
  Deliver("alpha", absl::ZeroDuration());
  EXPECT_EQ(Of("alpha", absl::Seconds(54)).batches, 1u);
  EXPECT_EQ(Of("alpha", absl::Seconds(60)).batches, 0u);
  Deliver("alpha", absl::Seconds(600));  // in the bucket of the first one
  EXPECT_EQ(Of("alpha", absl::Seconds(600)).batches, 1u);
}

TEST_F(JobActivityTest, AYoungJobIsDividedByItsAge) {
  for (int i = 0; i < 100; ++i) Deliver("alpha", absl::Milliseconds(10 * i));
  EXPECT_EQ(Of("alpha", absl::Seconds(1)).covered, absl::Seconds(5));
  EXPECT_EQ(Of("alpha", absl::Seconds(20)).covered, absl::Seconds(20));
}

TEST_F(JobActivityTest, KnowsTheSlowestBatch) {
  activity_.AddDelivered("a", false, Batch(1, absl::Milliseconds(5)), kStart);
  activity_.AddDelivered("a", false,
                         Batch(2, absl::Milliseconds(1), absl::Milliseconds(9)),
                         kStart + absl::Seconds(6));
  activity_.AddDelivered("a", false, Batch(3, absl::Milliseconds(7)),
                         kStart + absl::Seconds(7));
  EXPECT_EQ(Of("a", absl::Seconds(8)).slowest.index, 2u);
  EXPECT_EQ(Total(Of("a", absl::Seconds(8)).slowest.times),
            absl::Milliseconds(10));
  EXPECT_EQ(Total(Of("a", absl::Seconds(70)).slowest.times),
            absl::ZeroDuration());
}

TEST_F(JobActivityTest, KeepsTheLastErrorWhileItCounts) {
  activity_.AddFailed("a", false,
                      absl::UnavailableError(std::string(1000, 'x')), kStart);
  activity_.AddFailed("a", false, absl::UnavailableError("no\nowner"), kStart);
  EXPECT_EQ(Of("a", absl::Seconds(1)).failed, 2u);
  EXPECT_EQ(Of("a", absl::Seconds(1)).last_error, "UNAVAILABLE: no\\nowner");
  EXPECT_EQ(Of("a", absl::Seconds(61)).failed, 0u);
  EXPECT_EQ(Of("a", absl::Seconds(61)).last_error, "");
}

TEST_F(JobActivityTest, FurtherJobsShareAPlace) {
  for (int i = 0; i < 40; ++i) Deliver(absl::StrCat("j", i), absl::Seconds(1));
  Deliver("listed", absl::Seconds(1), /*listed=*/true);
  EXPECT_THAT(activity_.Jobs(kStart + absl::Seconds(2)), SizeIs(32 + 1 + 1));
  EXPECT_EQ(Of(JobActivity::kOthers, absl::Seconds(2)).batches, 8u);
  EXPECT_EQ(Of("j31", absl::Seconds(2)).batches, 1u);
  EXPECT_TRUE(Of("listed", absl::Seconds(2)).listed);
}

TEST_F(JobActivityTest, AJobThatIsCalledOthersIsAmongThem) {
  Deliver(JobActivity::kOthers, absl::Seconds(1));
  for (int i = 0; i < 33; ++i) Deliver(absl::StrCat("j", i), absl::Seconds(1));
  EXPECT_THAT(activity_.Jobs(kStart + absl::Seconds(2)), SizeIs(32 + 1));
  EXPECT_EQ(Of(JobActivity::kOthers, absl::Seconds(2)).batches, 2u);
}

TEST_F(JobActivityTest, ASilentJobGivesItsPlaceBack) {
  for (int i = 0; i < 32; ++i) Deliver(absl::StrCat("j", i), absl::Seconds(0));
  Deliver("j0", absl::Seconds(300));
  Deliver("late", absl::Seconds(599));
  EXPECT_EQ(Of(JobActivity::kOthers, absl::Seconds(599)).batches, 1u);
  Deliver("late", absl::Seconds(600));
  EXPECT_EQ(Of("late", absl::Seconds(600)).batches, 1u);
  EXPECT_EQ(Of("j0", absl::Seconds(600)).batches, 0u);
  // j0, late and the others.
  EXPECT_THAT(activity_.Jobs(kStart + absl::Seconds(600)), SizeIs(3));
  EXPECT_THAT(activity_.Jobs(kStart + absl::Hours(1)), IsEmpty());
}

// Names cost whoever makes them up nothing.
TEST_F(JobActivityTest, TenThousandNamesTakeNoMoreMemoryThan32) {
  const auto deliver = [this](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = absl::StrCat(i, std::string(250, 'n'));
      Deliver(name, absl::Milliseconds(i));
      activity_.AddFailed(name, false,
                          absl::InternalError(std::string(5000, 'e')),
                          kStart + absl::Milliseconds(i));
    }
  };
  const int64_t before = HeldBytes();
  deliver(0, 33);  // the last one is of the others
  const int64_t full = HeldBytes();
  EXPECT_LT(full - before, int64_t{192} << 10);
  deliver(33, 10'000);
  EXPECT_LE(HeldBytes(), full + 1024);
  EXPECT_EQ(Of(JobActivity::kOthers, absl::Seconds(11)).failed, 9968u);
  EXPECT_THAT(Of(JobActivity::kOthers, absl::Seconds(11)).last_error,
              HasSubstr("INTERNAL"));
}

}  // namespace
}  // namespace tributary
