#include "trainer_client/torch/nn/model_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tributary {
namespace {

ModelOptions Valid() { return {.out_channels = 7}; }

void ExpectError(const ModelOptions& options, const std::string& message) {
  EXPECT_EQ(options.Validate(), absl::InvalidArgumentError(message));
}

TEST(ModelOptionsTest, DefaultsNeedOnlyTheNumberOfOutputs) {
  EXPECT_TRUE(Valid().Validate().ok());
  ExpectError({}, "out_channels is 0, allowed: 1 to 1048576");
}

TEST(ModelOptionsTest, NamesOptionValueAndWhatIsAllowed) {
  ModelOptions o = Valid();
  o.model = "gin";
  ExpectError(o, "model is \"gin\", allowed: sage, gcn, gat, rgcn, embedding");
  o = Valid();
  o.aggr = "sum";
  ExpectError(o, "aggr is \"sum\", allowed: mean, max");
  o = Valid();
  o.norm = "left";
  ExpectError(o, "norm is \"left\", allowed: both, right");
  o = Valid();
  o.num_layers = 0;
  ExpectError(o, "num_layers is 0, allowed: 1 to 64");
  o = Valid();
  o.dropout = 1;
  ExpectError(o, "dropout is 1, allowed: at least 0, below 1");
  o = Valid();
  o.input_dropout = std::numeric_limits<double>::quiet_NaN();
  ExpectError(o, "input_dropout is nan, allowed: at least 0, below 1");
  o = Valid();
  o.num_bases = -1;
  ExpectError(o, "num_bases is -1, allowed: 0 to 1048576");
  o = Valid();
  o.negative_slope = std::numeric_limits<double>::infinity();
  ExpectError(o, "negative_slope is inf, allowed: a finite number");
}

TEST(ModelOptionsTest, HeadsDivideHiddenChannels) {
  ModelOptions o = Valid();
  o.model = "gat";
  o.hidden_channels = 12;
  o.heads = 5;
  ExpectError(o,
              "hidden_channels is 12, allowed: multiples of heads, which is 5");
  o.heads = 4;
  EXPECT_TRUE(o.Validate().ok());
  o.model = "sage";
  o.heads = 5;
  EXPECT_TRUE(o.Validate().ok());
}

}  // namespace
}  // namespace tributary
