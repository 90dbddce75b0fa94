#include "trainer_client/torch/command/run_chart.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tributary {
namespace {

std::string Path(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

std::string Written(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RunChartTest, EpochsOfALog) {
  const std::string log = Path("log");
  std::ofstream(log)
      << R"({"event":"start","command":"c","world":1})"
      << "\n"
      << R"({"event":"epoch","epoch":1,"loss":0.5,"train_accuracy":0.25,"valid_hits@20":0.75,"inputs":3})"
      << "\n"
      << R"({"event":"epoch","epoch":2,"loss":0.4,"train_accuracy":null,"valid_hits@20":null})"
      << "\n"
      << R"({"event":"epoch","epoch":0,"loss":9})"
      << "\n"
      << R"({"event":"epoch","epoch":3,"loss":null})"
      << "\n"
      << "[]\n"
      << R"({"event":"epoch","epo)";
  const std::vector<EpochReport> epochs = EpochsInLog(log);
  ASSERT_EQ(epochs.size(), 2);
  EXPECT_EQ(epochs[0].epoch, 0);
  EXPECT_EQ(epochs[0].loss, 0.5);
  EXPECT_EQ(epochs[0].train_accuracy, 0.25);
  EXPECT_EQ(epochs[0].valid, 0.75);
  EXPECT_EQ(epochs[0].metric, "hits@20");
  EXPECT_EQ(epochs[1].epoch, 1);
  EXPECT_FALSE(epochs[1].train_accuracy.has_value());
  EXPECT_FALSE(epochs[1].valid.has_value());
  EXPECT_TRUE(EpochsInLog(Path("none")).empty());
}

TEST(RunChartTest, DrawsEarlierEpochsToo) {
  const std::string path = Path("chart.svg");
  auto chart = RunChart::Create(path, {{.epoch = 0, .loss = 0.9},
                                       {.epoch = 1, .loss = 0.7},
                                       {.epoch = 9, .loss = 0.1}});
  ASSERT_TRUE(chart.ok()) << chart.status();
  (*chart)->Epoch({.epoch = 1, .loss = 0.6, .train_accuracy = 0.5});
  (*chart)->Epoch({.epoch = 2, .loss = 0.5, .valid = 0.8});
  ASSERT_TRUE((*chart)->Finish().ok());
  const std::string svg = Written(path);
  EXPECT_EQ(svg, (*chart)->Draw());
  for (const char* point :
       {"train 1: 0.9<", "train 2: 0.6<", "train 3: 0.5<",
        "train accuracy 2: 0.5<", "valid accuracy 3: 0.8<"}) {
    EXPECT_TRUE(Has(svg, point)) << point;
  }
  EXPECT_FALSE(Has(svg, "train 2: 0.7<"));
  EXPECT_FALSE(Has(svg, "train 10:"));
}

TEST(RunChartTest, NoEpochsAtAll) {
  auto chart = RunChart::Create(Path("empty.svg"), {});
  ASSERT_TRUE(chart.ok());
  EXPECT_TRUE((*chart)->Finish().ok());
  EXPECT_TRUE(Has(Written(Path("empty.svg")), "</svg>"));
}

TEST(RunChartTest, AFileThatCannotBeWritten) {
  const auto chart = RunChart::Create("/nonexistent/a.svg", {});
  EXPECT_EQ(chart.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(chart.status().message(),
            "--svg /nonexistent/a.svg: the file cannot be written");
  auto full = RunChart::Create("/dev/full", {});
  ASSERT_TRUE(full.ok());
  EXPECT_FALSE((*full)->Finish().ok());
}

}  // namespace
}  // namespace tributary
