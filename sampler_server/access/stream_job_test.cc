#include "sampler_server/access/stream_job.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(StreamJob, ATrainersIsThatOfItsCertificate) {
  StreamJob job({Role::kTrainer, "train-a"});
  EXPECT_EQ(job.name(), "train-a");
  for (const char* claim : {"", "default", "train-a"}) {
    EXPECT_EQ(job.Take(claim).value(), "train-a");
  }
  EXPECT_EQ(job.Take("train-b").status(),
            absl::PermissionDeniedError(
                "the stream names job 'train-b'; its certificate is of "
                "trainer/train-a, allowed: 'train-a', or no name"));
  EXPECT_EQ(job.name(), "train-a");
}

TEST(StreamJob, WithoutACertificateTheFirstNameCounts) {
  for (const Identity& identity :
       {Identity(), Identity{Role::kOperator, "o"}}) {
    StreamJob job(identity);
    EXPECT_EQ(job.name(), "");
    EXPECT_EQ(job.Take("a").value(), "a");
    EXPECT_EQ(job.Take("").value(), "a");
    EXPECT_EQ(job.Take("b").status(),
              absl::InvalidArgumentError(
                  "the stream names job 'b'; it is of job 'a' from its first "
                  "message on"));
    EXPECT_EQ(job.name(), "a");
  }
}

TEST(StreamJob, OneThatNamesNoneIsTheDefaultJob) {
  StreamJob job{Identity()};
  EXPECT_EQ(job.Take("").value(), "default");
  EXPECT_EQ(job.Take("default").value(), "default");
  EXPECT_FALSE(job.Take("a").ok());
}

}  // namespace
}  // namespace tributary
