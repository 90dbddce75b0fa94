#include "sampler_server/jobs/job_weights.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(JobWeightsTest, ListedJobsHaveTheirOwnAndAllOthersOneTogether) {
  const JobWeights weights =
      JobWeights::Parse("train-a=4,b c=1000,*=2").value();
  EXPECT_EQ(weights.WeightOf("train-a"), 4u);
  EXPECT_EQ(weights.WeightOf("b c"), 1000u);
  EXPECT_EQ(weights.WeightOf("train-b"), 2u);
  EXPECT_TRUE(weights.Lists("b c"));
  EXPECT_FALSE(weights.Lists("*"));
  EXPECT_TRUE(weights.Serves("train-b"));
}

TEST(JobWeightsTest, WithoutAWordAllShareAlike) {
  EXPECT_EQ(JobWeights().WeightOf("any"), 1u);
  EXPECT_FALSE(JobWeights().ListsAny());
  EXPECT_EQ(JobWeights::Parse("a=3")->WeightOf("b"), 1u);
}

TEST(JobWeightsTest, OthersCanBeRefused) {
  const JobWeights weights = JobWeights::Parse("a=1,*=0").value();
  EXPECT_TRUE(weights.Serves("a"));
  EXPECT_FALSE(weights.Serves("b"));
}

TEST(JobWeightsTest, RefusesWhatMakesNoSenseAndSaysWhatDoes) {
  for (const char* text :
       {"", "a", "=3", "a=", "a=0", "a=-1", "a=1001", "a=1.5", "a=1,,b=2",
        "a=1,a=2", "*=1,*=1", "*=0", "a=1 b=2"}) {
    const auto weights = JobWeights::Parse(text);
    ASSERT_FALSE(weights.ok()) << text;
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(weights.status().message()),
                HasSubstr("JOB=WEIGHT"));
  }
}

}  // namespace
}  // namespace tributary
