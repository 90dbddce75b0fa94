#include "trainer_client/torch/observe/train_metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Returns the value of a series.
double ValueOf(TrainMetrics& metrics, const std::string& series) {
  const std::string text = absl::StrCat("\n", metrics.Exposition());
  const std::string key = absl::StrCat("\n", series, " ");
  const size_t at = text.find(key);
  EXPECT_NE(at, std::string::npos) << series << " in" << text;
  return at == std::string::npos ? -1 : std::stod(text.substr(at + key.size()));
}

TEST(TrainMetricsTest, CountersGrowByWhatTheLoaderHasMore) {
  TrainMetrics metrics("1");
  metrics.Update({.batches = 2, .inputs = 20, .bytes = 200, .needs = 1});
  metrics.Update({.batches = 5,
                  .inputs = 50,
                  .bytes = 500,
                  .left_out = 70,
                  .compact = 30,
                  .reassigned = 3,
                  .hedged = 2,
                  .needs = 1});
  EXPECT_EQ(ValueOf(metrics, "tributary_train_batches_total"), 5);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_inputs_total"), 50);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_batch_bytes_total"), 500);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_left_out_bytes_total"), 70);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_compact_bytes_total"), 30);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_wire_bytes_total"), 400);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_reassigned_total"), 3);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_hedged_total"), 2);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_needs_total"), 1);
}

// A loader that does not answer in time has no stats.
TEST(TrainMetricsTest, CountersDoNotShrink) {
  TrainMetrics metrics("1");
  metrics.Update({.batches = 5});
  metrics.Update({});
  metrics.Update({.batches = 6});
  EXPECT_EQ(ValueOf(metrics, "tributary_train_batches_total"), 6);
}

TEST(TrainMetricsTest, EachPhaseHasAHistogram) {
  TrainMetrics metrics("1");
  metrics.ObservePhase(StepPhase::kWait, absl::Milliseconds(3));
  metrics.ObservePhase(StepPhase::kWait, absl::Seconds(1));
  metrics.ObservePhase(StepPhase::kCopy, absl::Milliseconds(5));
  const std::string name = "tributary_train_step_seconds";
  EXPECT_EQ(ValueOf(metrics, name + "_count{phase=\"wait\"}"), 2);
  EXPECT_DOUBLE_EQ(ValueOf(metrics, name + "_sum{phase=\"wait\"}"), 1.003);
  EXPECT_EQ(ValueOf(metrics, name + "_bucket{phase=\"wait\",le=\"0.004\"}"), 1);
  EXPECT_EQ(ValueOf(metrics, name + "_count{phase=\"copy\"}"), 1);
  EXPECT_EQ(ValueOf(metrics, name + "_count{phase=\"optimizer\"}"), 0);
}

// What a run reports.
class Kept final : public TrainObserver {
 public:
  void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
               uint64_t total) override {
    kept.push_back(
        absl::StrCat(std::string(phase), epoch, " ", done, "/", total));
  }
  void OnPhase(StepPhase phase, absl::Duration time) override {
    kept.push_back(absl::StrCat("phase ", static_cast<int>(phase), " ",
                                absl::ToInt64Milliseconds(time)));
  }
  void OnStep(uint64_t step) override {
    kept.push_back(absl::StrCat("step ", step));
  }
  void OnEpoch(const EpochReport& report) override {
    kept.push_back(absl::StrCat("epoch ", report.epoch));
  }
  void OnPrediction(const PredictionReport& report) override {
    kept.push_back(absl::StrCat("prediction ", report.folder));
  }
  void OnNote(const std::string& note) override { kept.push_back(note); }
  void OnResume(const std::string& path, uint64_t step) override {
    kept.push_back(absl::StrCat("resume ", path, " ", step));
  }
  std::vector<std::string> kept;
};

TEST(CountReportsTest, PassesOnAllAndCountsTheRoundsOfTraining) {
  Kept kept;
  TrainMetrics metrics("1");
  LoaderStats stats;
  CountReports count(&kept, &metrics, [&stats] { return stats; });
  TrainObserver& observer = count;
  observer.OnResume("c", 40);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_step"), 40);
  stats.batches = 1;
  observer.OnPhase(StepPhase::kCopy, absl::Milliseconds(5));
  observer.OnStep(41);
  observer.OnRound("train", 3, 1, 2);
  stats.batches = 2;
  observer.OnRound("valid", 3, 1, 2);  // of another loader
  observer.OnEpoch({.epoch = 3});
  observer.OnNote("n");
  observer.OnPrediction({.folder = "p"});
  EXPECT_EQ(ValueOf(metrics, "tributary_train_epoch"), 4);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_step"), 41);
  EXPECT_EQ(ValueOf(metrics, "tributary_train_batches_total"), 1);
  EXPECT_EQ(kept.kept, (std::vector<std::string>{
                           "resume c 40", "phase 1 5", "step 41", "train3 1/2",
                           "valid3 1/2", "epoch 3", "n", "prediction p"}));
}

}  // namespace
}  // namespace tributary
