#include "trainer_client/torch/tasks/link_task_options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(LinkTaskOptionsTest, DecodersByName) {
  EXPECT_EQ(*LinkDecoderFromName("dot"), LinkDecoder::kDot);
  EXPECT_EQ(*LinkDecoderFromName("distmult"), LinkDecoder::kDistMult);
  EXPECT_EQ(*LinkDecoderFromName("mlp"), LinkDecoder::kMlp);
  EXPECT_THAT(LinkDecoderFromName("cosine").status().message(),
              HasSubstr("\"cosine\"; allowed: dot, distmult, mlp"));
}

TEST(LinkTaskOptionsTest, MetricsByName) {
  EXPECT_EQ(*MetricFromName("hits@20"), Metric::Hits(20));
  EXPECT_EQ(NameOf(Metric::Hits(100)), "hits@100");
  EXPECT_EQ(*MetricFromName("mrr"), Metric::kMrr);
  EXPECT_NE(Metric::Hits(20), Metric::Hits(50));
  for (const char* wrong : {"hits@0", "hits@", "hits@-1", "hits@2.5", "hits"}) {
    EXPECT_THAT(MetricFromName(wrong).status().message(), HasSubstr("hits@K"))
        << wrong;
  }
}

TEST(LinkTaskOptionsTest, MetricsOfLinks) {
  EXPECT_TRUE(MeasuresLinks(Metric::Hits(50)));
  EXPECT_TRUE(MeasuresLinks(Metric::kMrr));
  EXPECT_TRUE(MeasuresLinks(Metric::kRocAuc));
  EXPECT_FALSE(MeasuresLinks(Metric::kAccuracy));
  EXPECT_FALSE(MeasuresLinks(Metric::kRmse));
}

}  // namespace
}  // namespace tributary
