// Reports of a training run, and the interface that receives them. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "trainer_client/torch/train/step_times.h"

namespace tributary {

// One epoch, over all ranks.
struct EpochReport {
  uint64_t epoch = 0;
  double loss = 0;                  // mean over the labelled inputs
  std::string metric = "accuracy";  // NameOf(Metric)
  // Classification: in the training passes, so with dropout.
  std::optional<double> train_accuracy;
  std::optional<double> valid;  // the metric; none: not measured or undefined
  uint64_t inputs = 0;
  uint64_t bytes = 0;  // of batches
  // Of them, those that were sent; of rows that trainers held; and those that
  // compact edges did without.
  uint64_t wire_bytes = 0, held_bytes = 0, compact_bytes = 0;
  double seconds = 0;     // of the training rounds
  double wait_share = 0;  // share of them spent waiting for batches
  StepTimes step;         // of a rank, as a mean over the ranks
  // Links: the negatives of the training passes, and of the validation, for
  // which no allowed pair was found (OnExhausted::kAccept).
  uint64_t exhausted = 0;
  uint64_t exhausted_in_valid = 0;
};

// The whole run, over all ranks.
struct TrainResult {
  uint64_t epochs = 0;
  std::string metric = "accuracy";
  // By the metric on valid; the last one where that is none.
  uint64_t best_epoch = 0;
  std::optional<double> best_valid;
  std::optional<double> test;  // with the best epoch's parameters
  // Further figures of the test split, such as "filtered-hits@10".
  std::vector<std::pair<std::string, double>> test_details;
  double seconds = 0;              // of the whole run
  uint64_t exhausted_in_test = 0;  // as EpochReport has it
};

// Predictions that were written, over all ranks.
struct PredictionReport {
  std::string folder;
  int64_t rows = 0;
  double seconds = 0;
};

// Receives a rank's reports, on the thread that trains. Reports of an epoch are
// equal at all ranks.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  // Called after each round of this rank; `done` of `total` are done. `phase`
  // is "classes", "labels", "links", "train", "valid", "test" or "predict".
  virtual void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
                       uint64_t total) = 0;
  // A phase of a training round has taken so long on this rank.
  virtual void OnPhase(StepPhase, absl::Duration) {}
  // All ranks have taken the optimizer's step of this number, from 1.
  virtual void OnStep(uint64_t) {}
  virtual void OnEpoch(const EpochReport& report) = 0;
  // Predictions are complete in their folder.
  virtual void OnPrediction(const PredictionReport&) {}
  // Something of the run that a user should know, once.
  virtual void OnNote(const std::string&) {}
  // The run goes on from the checkpoint at `path`, after `step` steps.
  virtual void OnResume(const std::string& path, uint64_t step) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_
