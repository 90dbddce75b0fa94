// Learning rates over the steps or epochs of a run. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_LR_SCHEDULE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_LR_SCHEDULE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

enum class LrScheduleKind {
  kConstant,  // "constant"
  kStep,      // "step": torch's StepLR
  kCosine,    // "cosine": torch's CosineAnnealingLR
};

// What a schedule counts as its time t, from 0.
enum class LrScheduleUnit {
  kEpoch,  // "epoch": as if scheduler.step() were called after each epoch
  kStep,   // "step": after each optimizer step
};

// A schedule of torch.optim.lr_scheduler in its closed form, as a function of
// the time alone: it has no state, so a resumed run continues it. With a
// warm-up it is SequentialLR of LinearLR and the schedule, which begins with
// t = 0 when the warm-up ends.
//
//   LrSchedule schedule{.kind = LrScheduleKind::kCosine, .t_max = 100};
//   SetLearningRate(schedule.At(/*base=*/0.01, step, epoch));
struct LrSchedule {
  LrScheduleKind kind = LrScheduleKind::kConstant;
  LrScheduleUnit unit = LrScheduleUnit::kEpoch;
  // kStep: multiplies the rate by gamma after every step_size units.
  uint64_t step_size = 1;
  double gamma = 0.1;
  // kCosine: base + (eta_min - base) x (1 - cos(pi t / t_max)) / 2. It rises
  // again after t_max, as torch's does.
  uint64_t t_max = 1;
  double eta_min = 0;
  // Units in which the rate rises linearly from warmup_factor x base to base;
  // 0: none.
  uint64_t warmup = 0;
  double warmup_factor = 1.0 / 3;  // torch's start_factor

  // INVALID_ARGUMENT, naming field, value and what is allowed.
  absl::Status Validate() const;

  // Returns the rate of the optimizer step number `step` of the run, in epoch
  // `epoch`, both from 0; `base` is the optimizer's initial rate. Requires
  // valid fields.
  double At(double base, uint64_t step, uint64_t epoch) const;
};

// Return the value of a name above; INVALID_ARGUMENT, listing the names, if
// there is none.
absl::StatusOr<LrScheduleKind> LrScheduleKindFromName(const std::string& name);
absl::StatusOr<LrScheduleUnit> LrScheduleUnitFromName(const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SCHEDULE_LR_SCHEDULE_H_
