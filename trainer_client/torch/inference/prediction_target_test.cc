#include "trainer_client/torch/inference/prediction_target.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(PredictionTargetTest, HasTypeAndSplit) {
  const auto split = ParsePredictionTarget("paper:time/test");
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_EQ(split->type, "paper");
  EXPECT_EQ(split->split, "time/test");
  EXPECT_FALSE(split->all_nodes());
  EXPECT_EQ(split->ToString(), "paper:time/test");

  const auto all = ParsePredictionTarget("*");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->type, "");
  EXPECT_TRUE(all->all_nodes());
  EXPECT_EQ(all->ToString(), "*");
}

TEST(PredictionTargetTest, TypesMayContainColons) {
  const auto target = ParsePredictionTarget("a:b,to,c:valid");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->type, "a:b,to,c");
  EXPECT_EQ(target->split, "valid");
}

TEST(PredictionTargetTest, EmptyPartsAreRefused) {
  for (const char* text : {"", ":", "paper:", ":test"}) {
    const auto target = ParsePredictionTarget(text);
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_NE(target.status().ToString().find("--predict"), std::string::npos);
  }
}

}  // namespace
}  // namespace tributary
