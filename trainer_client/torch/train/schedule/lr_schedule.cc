#include "trainer_client/torch/train/schedule/lr_schedule.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tributary {
namespace {

constexpr double kPi = 3.14159265358979323846;

absl::Status Refuse(absl::string_view field, double value,
                    absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "learning rate schedule: ", field, " is ", value, "; ", allowed));
}

absl::Status UnknownName(absl::string_view what, const std::string& name,
                         absl::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("learning rate schedule: ", what, " is '", name,
                   "'; allowed: ", allowed));
}

}  // namespace

absl::Status LrSchedule::Validate() const {
  if (kind == LrScheduleKind::kStep && step_size == 0) {
    return Refuse("step_size", 0, "allowed: 1 or more");
  }
  if (kind == LrScheduleKind::kStep && !(gamma > 0 && gamma <= 1)) {
    return Refuse("gamma", gamma, "allowed: above 0, at most 1");
  }
  if (kind == LrScheduleKind::kCosine && t_max == 0) {
    return Refuse("t_max", 0, "allowed: 1 or more");
  }
  if (kind == LrScheduleKind::kCosine &&
      !(eta_min >= 0 && std::isfinite(eta_min))) {
    return Refuse("eta_min", eta_min, "allowed: 0 or more");
  }
  if (warmup > 0 && !(warmup_factor > 0 && warmup_factor <= 1)) {
    return Refuse("warmup_factor", warmup_factor,
                  "allowed: above 0, at most 1");
  }
  return absl::OkStatus();
}

double LrSchedule::At(double base, uint64_t step, uint64_t epoch) const {
  const uint64_t now = unit == LrScheduleUnit::kStep ? step : epoch;
  if (now < warmup) {
    const double done = static_cast<double>(now) / static_cast<double>(warmup);
    return base * (warmup_factor + (1 - warmup_factor) * done);
  }
  const uint64_t t = now - warmup;
  switch (kind) {
    case LrScheduleKind::kConstant:
      break;
    case LrScheduleKind::kStep:
      return base * std::pow(gamma, static_cast<double>(t / step_size));
    case LrScheduleKind::kCosine: {
      // The cosine's period, so that the argument stays small and exact.
      const double phase =
          static_cast<double>(t % (2 * t_max)) / static_cast<double>(t_max);
      return eta_min + (base - eta_min) * (1 + std::cos(kPi * phase)) / 2;
    }
  }
  return base;
}

absl::StatusOr<LrScheduleKind> LrScheduleKindFromName(const std::string& name) {
  if (name == "constant") return LrScheduleKind::kConstant;
  if (name == "step") return LrScheduleKind::kStep;
  if (name == "cosine") return LrScheduleKind::kCosine;
  return UnknownName("kind", name, "constant, step, cosine");
}

absl::StatusOr<LrScheduleUnit> LrScheduleUnitFromName(const std::string& name) {
  if (name == "epoch") return LrScheduleUnit::kEpoch;
  if (name == "step") return LrScheduleUnit::kStep;
  return UnknownName("unit", name, "epoch, step");
}

}  // namespace tributary
