// The metrics of one rank of a training run. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_TRAIN_METRICS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_TRAIN_METRICS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "common/observe/metrics.h"
#include "common/observe/process_metrics.h"
#include "trainer_client/core/window/loader_stats.h"
#include "trainer_client/torch/train/step_times.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// The series of a rank, under names that begin with tributary_train_, and those
// of its process (docs/metrics.md). The rank's thread counts, any thread reads.
class TrainMetrics {
 public:
  // `version` is the label of tributary_build_info.
  explicit TrainMetrics(const std::string& version);

  void ObservePhase(StepPhase phase, absl::Duration time);
  void SetEpoch(uint64_t epoch) { epoch_.Set(static_cast<double>(epoch)); }
  void SetStep(uint64_t step) { step_.Set(static_cast<double>(step)); }
  // Brings the counters of batches up to `stats`, those of one loader, which
  // only grow.
  void Update(const LoaderStats& stats);

  // Returns all series in Prometheus' text format. Thread-safe.
  std::string Exposition();

 private:
  Metrics metrics_;
  ProcessMetrics process_;
  std::array<Histogram, kNumStepPhases> phases_;
  Gauge epoch_, step_;
  Counter batches_, inputs_, bytes_, left_out_, compact_, wire_bytes_;
  Counter reassigned_, hedged_, needs_;
  LoaderStats counted_;  // so far; of the rank's thread
  uint64_t counted_wire_bytes_ = 0;
};

// Passes a rank's reports on, and counts them. What it refers to outlives it.
class CountReports final : public TrainObserver {
 public:
  // `stats` returns those of the loader of training batches.
  CountReports(TrainObserver* reports, TrainMetrics* metrics,
               std::function<LoaderStats()> stats)
      : reports_(reports), metrics_(metrics), stats_(std::move(stats)) {}

  void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
               uint64_t total) override;
  void OnPhase(StepPhase phase, absl::Duration time) override;
  void OnStep(uint64_t step) override;
  void OnResume(const std::string& path, uint64_t step) override;
  void OnEpoch(const EpochReport& report) override {
    reports_->OnEpoch(report);
  }
  void OnPrediction(const PredictionReport& report) override {
    reports_->OnPrediction(report);
  }
  void OnNote(const std::string& note) override { reports_->OnNote(note); }

 private:
  TrainObserver* const reports_;
  TrainMetrics* const metrics_;
  const std::function<LoaderStats()> stats_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_TRAIN_METRICS_H_
