// The time of a training step by its phases. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_STEP_TIMES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_STEP_TIMES_H_

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "common/runtime/clock.h"

namespace tributary {

// The phases of a step, in their order. A GPU computes asynchronously: there
// forward includes the copies, as it ends when the loss is known, and what the
// backward pass and the optimizer have started ends within later phases.
enum class StepPhase : size_t {
  kWait,       // for the batch
  kCopy,       // of the batch to tensors on the device, its layers included
  kForward,    // of the model, and the loss
  kBackward,   // until this rank's gradients are computed
  kReduce,     // the rest of the all-reduce, in which the rank only waits
  kOptimizer,  // clipping and the step of the optimizer
};
inline constexpr size_t kNumStepPhases = 6;
inline constexpr std::array<std::string_view, kNumStepPhases> kStepPhaseNames =
    {"wait", "copy", "forward", "backward", "reduce", "optimizer"};

// Sums over the steps of one rank, or the mean of such sums over ranks.
struct StepTimes {
  std::array<double, kNumStepPhases> seconds{};  // by phase
  double steps = 0;

  double of(StepPhase phase) const {
    return seconds[static_cast<size_t>(phase)];
  }
  double total() const {
    double sum = 0;
    for (double s : seconds) sum += s;
    return sum;
  }
  // Both are 0 without steps.
  double mean_step() const { return steps > 0 ? total() / steps : 0; }
  double share(StepPhase phase) const {
    return total() > 0 ? of(phase) / total() : 0;
  }
};

// Adds the time since the last lap to a phase. Used by one thread at a time.
class StepTimer {
 public:
  using OnLap = std::function<void(StepPhase phase, absl::Duration time)>;

  // `on_lap`, if set, is told each lap.
  explicit StepTimer(const Clock& clock, OnLap on_lap = nullptr)
      : clock_(clock), on_lap_(std::move(on_lap)), last_(clock.Now()) {}

  // Begins a step: time before it belongs to no phase.
  void Begin() {
    last_ = clock_.Now();
    times_.steps += 1;
  }
  void Lap(StepPhase phase) {
    const absl::Time now = clock_.Now();
    const absl::Duration time = now - last_;
    times_.seconds[static_cast<size_t>(phase)] += absl::ToDoubleSeconds(time);
    last_ = now;
    if (on_lap_) on_lap_(phase, time);
  }
  const StepTimes& times() const { return times_; }

 private:
  const Clock& clock_;
  const OnLap on_lap_;
  absl::Time last_;
  StepTimes times_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_STEP_TIMES_H_
