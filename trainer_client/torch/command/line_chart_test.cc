#include "trainer_client/torch/command/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tributary {
namespace {

using Ticks = std::vector<double>;

void ExpectTicks(const Ticks& made, const Ticks& expected) {
  ASSERT_EQ(made.size(), expected.size());
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_NEAR(made[i], expected[i], 1e-12) << i;
  }
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(LineChartTest, TicksAreRoundNumbersAroundTheRange) {
  ExpectTicks(AxisTicks(0, 1), {0, 0.2, 0.4, 0.6, 0.8, 1});
  ExpectTicks(AxisTicks(0.13, 0.97), {0, 0.2, 0.4, 0.6, 0.8, 1});
  ExpectTicks(AxisTicks(-3, 12), {-5, 0, 5, 10, 15});
  ExpectTicks(AxisTicks(1, 40), {0, 10, 20, 30, 40});
  ExpectTicks(AxisTicks(7, 7), {6, 6.5, 7, 7.5, 8});  // 6.3 to 7.7
  ExpectTicks(AxisTicks(0, 0), {-1, -0.5, 0, 0.5, 1});
}

TEST(LineChartTest, TicksOfExtremeRangesAreFew) {
  for (const auto& [low, high] :
       {std::pair(0.0, 5e-324), std::pair(-1e300, 1e300),
        std::pair(1e300, 1e300), std::pair(1.0, 1.0 + 1e-15)}) {
    const Ticks ticks = AxisTicks(low, high);
    EXPECT_GE(ticks.size(), 2) << low;
    EXPECT_LE(ticks.size(), 8) << low;
    EXPECT_LE(ticks.front(), low);
    EXPECT_GE(ticks.back(), high);
  }
}

// The x axis has the ticks 1, 2, 3 from 70 to 700; the y axis of the first
// panel those from 0 to 1, from 270 up to 70.
TEST(LineChartTest, PointsAreAtTheirValues) {
  const std::string svg = DrawChart(
      "a <b> & c", "epoch",
      {{.title = "loss",
        .lines = {{"train", "red", {{1, 1}, {2, 0.5}, {3, 0}}}}},
       {.title = "accuracy", .lines = {{"valid", "green", {{3, 0.25}}}}}});
  EXPECT_EQ(svg.find("<?xml"), 0);
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("d=\"M70.00 70.00L385.00 170.00L700.00 270.00\""),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<circle cx=\"385.00\" cy=\"170.00\" r=\"2.5\">"
                     "<title>train 2: 0.5</title>"),
            std::string::npos);
  EXPECT_NE(svg.find("<circle cx=\"700.00\""), std::string::npos);
  EXPECT_EQ(Count(svg, "<circle"), 4);
  EXPECT_EQ(Count(svg, "class=\"x\""), 6);  // 1, 2, 3 in each panel
  EXPECT_EQ(Count(svg, "class=\"legend\""), 2);
}

TEST(LineChartTest, ValuesThatAreNotFiniteAreGaps) {
  const std::string svg = DrawChart(
      "", "epoch",
      {{.title = "loss",
        .lines = {{"train", "red", {{1, 1}, {2, NAN}, {3, INFINITY}, {4, 0}}}}},
       {.title = "nothing", .lines = {}}});
  EXPECT_EQ(Count(svg, "<circle"), 2);
  EXPECT_NE(svg.find("d=\"M70.00 70.00M700.00 270.00\""), std::string::npos)
      << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace tributary
