#include "trainer_client/torch/observe/train_metrics.h"

namespace tributary {
namespace {

std::array<Histogram, kNumStepPhases> PhaseSeconds(Metrics& metrics) {
  std::array<Histogram, kNumStepPhases> phases;
  for (size_t i = 0; i < kNumStepPhases; ++i) {
    phases[i] = metrics.AddHistogram(
        "tributary_train_step_seconds", "Time of a round in each phase",
        LatencyBounds(), {{"phase", std::string(kStepPhaseNames[i])}});
  }
  return phases;
}

// Adds what `now` has more than `counted`. It has less where a loader that was
// asked gave no answer in time.
void AddTo(Counter& counter, uint64_t now, uint64_t& counted) {
  if (now <= counted) return;
  counter.Add(static_cast<double>(now - counted));
  counted = now;
}

}  // namespace

TrainMetrics::TrainMetrics(const std::string& version)
    : process_(&metrics_, version),
      phases_(PhaseSeconds(metrics_)),
      epoch_(metrics_.AddGauge("tributary_train_epoch",
                               "The epoch that is trained, from 1")),
      step_(metrics_.AddGauge("tributary_train_step",
                              "Optimizer steps that the run has taken")),
      batches_(metrics_.AddCounter("tributary_train_batches_total",
                                   "Training batches delivered to the rank")),
      inputs_(metrics_.AddCounter("tributary_train_inputs_total",
                                  "Inputs of these batches")),
      bytes_(metrics_.AddCounter("tributary_train_batch_bytes_total",
                                 "Bytes of these batches")),
      left_out_(metrics_.AddCounter(
          "tributary_train_left_out_bytes_total",
          "Of these, bytes that were not sent: rows held here")),
      compact_(metrics_.AddCounter(
          "tributary_train_compact_bytes_total",
          "Of these, bytes that compact edges did without")),
      wire_bytes_(metrics_.AddCounter("tributary_train_wire_bytes_total",
                                      "Of these, bytes that were sent")),
      reassigned_(metrics_.AddCounter("tributary_train_reassigned_total",
                                      "Batches that were asked for again")),
      hedged_(metrics_.AddCounter("tributary_train_hedged_total",
                                  "Among these: late, not lost")),
      needs_(metrics_.AddCounter("tributary_train_needs_total",
                                 "Batches larger than the room reserved")) {}

void TrainMetrics::ObservePhase(StepPhase phase, absl::Duration time) {
  phases_[static_cast<size_t>(phase)].Observe(absl::ToDoubleSeconds(time));
}

void TrainMetrics::Update(const LoaderStats& stats) {
  AddTo(batches_, stats.batches, counted_.batches);
  AddTo(inputs_, stats.inputs, counted_.inputs);
  AddTo(bytes_, stats.bytes, counted_.bytes);
  AddTo(left_out_, stats.left_out, counted_.left_out);
  AddTo(compact_, stats.compact, counted_.compact);
  AddTo(wire_bytes_, stats.wire_bytes(), counted_wire_bytes_);
  AddTo(reassigned_, stats.reassigned, counted_.reassigned);
  AddTo(hedged_, stats.hedged, counted_.hedged);
  AddTo(needs_, stats.needs, counted_.needs);
}

std::string TrainMetrics::Exposition() {
  process_.Update();
  return metrics_.Exposition();
}

void CountReports::OnRound(std::string_view phase, uint64_t epoch,
                           uint64_t done, uint64_t total) {
  if (phase == "train") {
    metrics_->SetEpoch(epoch + 1);
    metrics_->Update(stats_());
  }
  reports_->OnRound(phase, epoch, done, total);
}

void CountReports::OnPhase(StepPhase phase, absl::Duration time) {
  metrics_->ObservePhase(phase, time);
  reports_->OnPhase(phase, time);
}

void CountReports::OnStep(uint64_t step) {
  metrics_->SetStep(step);
  reports_->OnStep(step);
}

void CountReports::OnResume(const std::string& path, uint64_t step) {
  metrics_->SetStep(step);
  reports_->OnResume(path, step);
}

}  // namespace tributary
