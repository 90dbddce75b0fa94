#include "trainer_client/torch/command/train_output.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace tributary {
namespace {

const EpochReport kReport{
    .epoch = 2,
    .loss = 0.53214,
    .train_accuracy = 0.9142,
    .valid = 0.792,
    .inputs = 140,
    .bytes = 3'000'000,
    .wire_bytes = 3'000'000,
    .seconds = 0.5,
    .wait_share = 0.34,
    .step = {.seconds = {0.3, 0.04, 0.2, 0.31, 0.1, 0.05}, .steps = 10}};
const TrainResult kResult{.epochs = 40,
                          .best_epoch = 26,
                          .best_valid = 0.794,
                          .test = 0.812,
                          .seconds = 4.25};

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(TrainOutputTest, EpochLine) {
  EXPECT_EQ(EpochLine(kReport, 40),
            "epoch 3/40  loss 0.5321  train 0.914  valid 0.792  280 inputs/s  "
            "6.0 MB/s  waiting 34%");
  EpochReport report = kReport;
  report.held_bytes = report.bytes / 4;
  report.compact_bytes = report.bytes / 20;
  report.wire_bytes = report.bytes * 7 / 10;
  EXPECT_EQ(EpochLine(report, 40),
            "epoch 3/40  loss 0.5321  train 0.914  valid 0.792  280 inputs/s  "
            "4.2 MB/s  waiting 34%  held 25%  compact 5%");
  report.held_bytes = report.compact_bytes = 0;
  report.valid.reset();
  report.seconds = 0;
  EXPECT_EQ(EpochLine(report, 40),
            "epoch 3/40  loss 0.5321  train 0.914  0 inputs/s  0.0 MB/s  "
            "waiting 34%");
}

TEST(TrainOutputTest, StepLine) {
  EXPECT_EQ(StepLine(kReport.step),
            "step 100.0 ms: wait 30%  copy 4%  forward 20%  backward 31%  "
            "reduce 10%  optimizer 5%");
  EXPECT_EQ(StepLine(StepTimes()), "");
}

TEST(TrainOutputTest, ResultLine) {
  EXPECT_EQ(ResultLine(kResult),
            "result test_accuracy=0.8120 valid_accuracy=0.7940 best_epoch=27 "
            "epochs=40 seconds=4.2");
  EXPECT_EQ(ResultLine({.metric = "ap", .test = 0.75, .seconds = 1}),
            "result test_ap=0.7500 seconds=1.0");
  EXPECT_EQ(ResultLine({.epochs = 1}),
            "result best_epoch=1 epochs=1 "
            "seconds=0.0");
}

TEST(TrainOutputTest, NegativesThatAreNoneAreCounted) {
  EXPECT_EQ(ExhaustedLine(12, "training"),
            "  12 negatives of the training pass may be edges or too new: none "
            "of 64 candidates was allowed (--on-exhausted accept)");
  EXPECT_EQ(ExhaustedLine(0, "training"), "");
}

TEST(TrainOutputTest, WithoutTrainingThereIsNoBestEpoch) {
  EXPECT_EQ(ResultLine({.test = 0.5}),
            "result test_accuracy=0.5000 seconds=0.0");
}

TEST(TrainOutputTest, PredictionsAreOfNoEpoch) {
  EXPECT_EQ(ProgressLine("predict layer 1", 0, 10, 1, 4),
            "predict layer 1 [######------------------] 1/4");
}

TEST(TrainOutputTest, NamesAnotherMetric) {
  EpochReport report = kReport;
  report.metric = "rocauc";
  report.train_accuracy.reset();
  EXPECT_EQ(EpochLine(report, 40).substr(0, 38),
            "epoch 3/40  loss 0.5321  valid 0.792  ");
  TrainResult result = kResult;
  result.metric = "rocauc";
  EXPECT_EQ(ResultLine(result).substr(0, 42),
            "result test_rocauc=0.8120 valid_rocauc=0.7");
}

TEST(TrainOutputTest, ProgressLine) {
  EXPECT_EQ(ProgressLine("train", 2, 40, 5, 10),
            "train 3/40 [############------------] 5/10");
  EXPECT_EQ(ProgressLine("valid", 0, 1, 0, 0),
            "valid 1/1 [########################] 0/0");
}

TEST(TrainOutputTest, LogIsJsonLines) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/log";
  auto log = TrainLog::Create(path);
  ASSERT_TRUE(log.ok());
  (*log)->Start("tributary-train --graph \"g\"", 2);
  (*log)->Epoch(kReport);
  ASSERT_TRUE((*log)->Result(kResult).ok());
  EXPECT_EQ(
      Lines(path),
      (std::vector<std::string>{
          R"({"event":"start","command":"tributary-train --graph \"g\"","world":2})",
          R"({"event":"epoch","epoch":3,"loss":0.53214,"train_accuracy":0.9142,"valid_accuracy":0.792,"inputs":140,"bytes":3000000,"wire_bytes":3000000,"seconds":0.5,"wait_share":0.34,"step_seconds":{"wait":0.03,"copy":0.004,"forward":0.02,"backward":0.031,"reduce":0.01,"optimizer":0.005}})",
          R"({"event":"result","test_accuracy":0.812,"valid_accuracy":0.794,"best_epoch":27,"epochs":40,"seconds":4.25})"}));
}

TEST(TrainOutputTest, ChartsAreEventFiles) {
  const std::string folder =
      std::string(std::getenv("TEST_TMPDIR")) + "/charts";
  TrainCharts charts(folder, /*resumed=*/false);
  charts.Epoch(kReport);
  ASSERT_TRUE(charts.Finish().ok());
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  for (const char* tag :
       {"loss/train", "accuracy/train", "accuracy/valid", "speed/wait_share",
        "step_share/reduce", "step/milliseconds"}) {
    EXPECT_NE(bytes.find(tag), std::string::npos) << tag;
  }
  TrainCharts nowhere("/proc/none", false);
  nowhere.Epoch(kReport);
  EXPECT_FALSE(nowhere.Finish().ok());
}

TEST(TrainOutputTest, LogThatCannotBeWritten) {
  EXPECT_EQ(TrainLog::Create("/nonexistent/log").status().code(),
            absl::StatusCode::kUnavailable);
  auto full = TrainLog::Create("/dev/full");
  ASSERT_TRUE(full.ok());
  EXPECT_FALSE((*full)->Result(kResult).ok());
}

}  // namespace
}  // namespace tributary
