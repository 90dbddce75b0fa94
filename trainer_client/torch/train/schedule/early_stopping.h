// Ends training when a metric no longer improves. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_EARLY_STOPPING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_EARLY_STOPPING_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"

namespace tributary {

enum class MetricMode {
  kMax,  // larger is better: accuracy
  kMin,  // smaller is better: a loss
};

// As Keras' and PyTorch Lightning's EarlyStopping.
struct EarlyStoppingOptions {
  uint64_t patience = 10;  // evaluations without an improvement; 1 or more
  double min_delta = 0;    // a change must exceed it to be an improvement
  MetricMode mode = MetricMode::kMax;

  // INVALID_ARGUMENT, naming field, value and what is allowed.
  absl::Status Validate() const;
};

// All that a checkpoint stores of it.
struct EarlyStoppingState {
  std::optional<double> best;
  uint64_t without_improvement = 0;  // evaluations since the best one
  friend bool operator==(const EarlyStoppingState&,
                         const EarlyStoppingState&) = default;
};

// Counts evaluations since the last improvement. Every rank gives it the same
// values, so all stop at the same evaluation.
class EarlyStopping {
 public:
  // Requires valid options. A resumed run passes the state of its checkpoint.
  explicit EarlyStopping(EarlyStoppingOptions options,
                         EarlyStoppingState state = {})
      : options_(options), state_(state) {}

  // Takes the metric of an evaluation and returns whether it is an improvement:
  // the first value is one, later ones if they are better than the best one by
  // more than min_delta. NaN never is.
  bool Update(double metric);

  // Returns whether `patience` evaluations in turn have brought no improvement.
  bool should_stop() const {
    return state_.without_improvement >= options_.patience;
  }
  const EarlyStoppingState& state() const { return state_; }

 private:
  const EarlyStoppingOptions options_;
  EarlyStoppingState state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_EARLY_STOPPING_H_
