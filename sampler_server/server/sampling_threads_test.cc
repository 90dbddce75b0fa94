#include "sampler_server/server/sampling_threads.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(SamplingThreadsTest, ANumberInRangeIsTaken) {
  EXPECT_EQ(*SamplingThreads("--threads", 1), 1);
  EXPECT_EQ(*SamplingThreads("--threads", 1024), 1024);
}

TEST(SamplingThreadsTest, ZeroIsOnePerCore) {
  const int threads = *SamplingThreads("--threads", 0);
  EXPECT_GE(threads, 1);
  EXPECT_LE(threads, 1024);
}

TEST(SamplingThreadsTest, OtherNumbersAreRefusedByTheOptionsName) {
  for (const int wanted : {-1, 1025}) {
    const absl::Status refused =
        SamplingThreads("num_threads", wanted).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(refused.message().find("num_threads is "), 0u) << refused;
  }
}

}  // namespace
}  // namespace tributary
