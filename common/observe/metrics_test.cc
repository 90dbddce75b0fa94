#include "common/observe/metrics.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(MetricsTest, ExposesCountersGaugesAndHistograms) {
  Metrics metrics;
  metrics.AddCounter("c_total", "a counter", {{"kind", "x"}}).Add(3);
  Gauge gauge = metrics.AddGauge("g", "a gauge");
  gauge.Set(5);
  gauge.Add(-2);
  Histogram histogram = metrics.AddHistogram("h", "a histogram", {1, 2});
  histogram.Observe(0.5);
  histogram.Observe(1.5);
  histogram.Observe(7);
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("c_total{kind=\"x\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\ng 3\n"));
  EXPECT_THAT(text, HasSubstr("h_count 3\nh_sum 9\n"));
  EXPECT_THAT(text, HasSubstr("h_bucket{le=\"2\"} 2\n"));
}

TEST(MetricsTest, TheSameNameAndLabelsAreTheSameMetric) {
  Metrics metrics;
  metrics.AddCounter("c_total", "a counter").Add();
  metrics.AddCounter("c_total", "a counter").Add();
  EXPECT_THAT(metrics.Exposition(), HasSubstr("\nc_total 2\n"));
}

TEST(MetricsTest, AnEmptyHandleDoesNothing) {
  Counter().Add();
  Gauge().Set(1);
  Histogram().Observe(1);
}

TEST(LatencyBoundsTest, DoublesFromOneMillisecond) {
  const std::vector<double> bounds = LatencyBounds();
  EXPECT_EQ(bounds.front(), 0.001);
  EXPECT_EQ(bounds[1], 0.002);
  EXPECT_LE(bounds.back(), 32);
  EXPECT_GT(bounds.back(), 16);
}

}  // namespace
}  // namespace tributary
