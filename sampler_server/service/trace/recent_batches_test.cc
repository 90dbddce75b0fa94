#include "sampler_server/service/trace/recent_batches.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1000);

v1::BatchTrace Trace(const std::string& job, uint64_t index, size_t size = 0) {
  v1::BatchTrace trace;
  trace.set_job(job);
  trace.set_epoch(3);
  trace.set_index(index);
  trace.set_error(std::string(size, 'e'));
  return trace;
}

class RecentBatchesTest : public ::testing::Test {
 protected:
  void Add(const std::string& job, uint64_t index, int ms = 1,
           size_t size = 400) {
    batches_.Add(Trace(job, index, size), absl::Milliseconds(ms), now_);
    EXPECT_LE(batches_.bytes(), kLimit);
  }
  size_t Kept(const std::string& job, uint64_t index) const {
    return batches_.Find(job, 3, index).size();
  }

  static constexpr size_t kLimit = 64 << 10;
  RecentBatches batches_{kLimit};
  absl::Time now_ = kStart;
};

TEST_F(RecentBatchesTest, FindsEachAttemptTheLatestLast) {
  Add("a", 7);
  Add("a", 8);
  now_ += absl::Seconds(1);
  v1::BatchTrace again = Trace("a", 7);
  again.set_inputs(5);
  batches_.Add(again, absl::Seconds(1), now_);
  const auto found = batches_.Find("a", 3, 7);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].inputs(), 0u);
  EXPECT_EQ(found[1].inputs(), 5u);
  EXPECT_EQ(Kept("a", 9), 0u);
  EXPECT_EQ(Kept("b", 7), 0u);
  EXPECT_TRUE(batches_.Find("a", 4, 7).empty());
}

TEST_F(RecentBatchesTest, TheOldestMakeRoomAndTheSlowestStay) {
  Add("a", 0, /*ms=*/900);
  for (uint64_t i = 1; i < 1000; ++i) Add("a", i);
  EXPECT_EQ(Kept("a", 999), 1u);
  EXPECT_EQ(Kept("a", 500), 0u);
  EXPECT_EQ(Kept("a", 0), 1u) << "the slowest is kept";
  now_ += RecentBatches::kSlowFor + absl::Seconds(1);
  for (uint64_t i = 1000; i < 2000; ++i) Add("a", i);
  EXPECT_EQ(Kept("a", 0), 0u) << "but not for ever";
}

TEST_F(RecentBatchesTest, OnlySoManySlowOnesAreKept) {
  const auto slow = RecentBatches::kMaxSlow;
  for (uint64_t i = 0; i < 2 * slow; ++i)
    Add("a", i, 100 + static_cast<int>(i));
  for (uint64_t i = 100; i < 1100; ++i) Add("a", i);
  for (uint64_t i = 0; i < slow; ++i) EXPECT_EQ(Kept("a", i), 0u) << i;
  for (uint64_t i = slow; i < 2 * slow; ++i) EXPECT_EQ(Kept("a", i), 1u) << i;
}

TEST_F(RecentBatchesTest, AJobThatMakesManyPushesOutItsOwn) {
  Add("quiet", 1);
  for (uint64_t i = 0; i < 5000; ++i) Add("loud", i);
  EXPECT_EQ(Kept("quiet", 1), 1u);
}

TEST_F(RecentBatchesTest, JobsWithoutEndAreForgotten) {
  RecentBatches batches;
  for (int i = 0; i < 10000; ++i) {
    now_ += absl::Milliseconds(1);
    batches.Add(Trace(absl::StrCat("job", i), 1), absl::Seconds(1), now_);
    EXPECT_LE(batches.bytes(), RecentBatches::kMaxJobs * 4096);
  }
  EXPECT_EQ(batches.Find("job9999", 3, 1).size(), 1u);
  EXPECT_EQ(batches.Find("job0", 3, 1).size(), 0u);
}

TEST_F(RecentBatchesTest, ARecordBeyondTheLimitIsNotKept) {
  Add("a", 1, 1, 2 * kLimit);
  EXPECT_EQ(Kept("a", 1), 0u);
  Add("a", 2);
  EXPECT_EQ(Kept("a", 2), 1u);
}

TEST_F(RecentBatchesTest, AFewOfManyAttemptsAreFound) {
  for (int i = 0; i < 100; ++i) {
    now_ += absl::Milliseconds(1);
    v1::BatchTrace trace = Trace("a", 1);
    trace.set_inputs(static_cast<uint64_t>(i));
    batches_.Add(trace, absl::Seconds(1), now_);
  }
  const auto found = batches_.Find("a", 3, 1);
  ASSERT_EQ(found.size(), RecentBatches::kMaxFound);
  EXPECT_EQ(found.back().inputs(), 99u);
}

}  // namespace
}  // namespace tributary
