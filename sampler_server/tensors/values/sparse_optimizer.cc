// Compiled with -ffp-contract=off, so that no compiler fuses operations.
#include "sampler_server/tensors/values/sparse_optimizer.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

absl::Status Refuse(OptimizerKind kind, const char* parameter, double value,
                    const char* allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("a step of ", OptimizerName(kind), " with ", parameter, " ",
                   value, "; allowed: ", allowed));
}

// The gradient's factor; 1 changes no bit.
float ScaleOf(const OptimizerStep& step) {
  return static_cast<float>(step.scale);
}

}  // namespace

const char* OptimizerName(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kNone:
      return "none";
    case OptimizerKind::kSgd:
      return "SGD";
    case OptimizerKind::kAdagrad:
      return "Adagrad";
    case OptimizerKind::kAdam:
      return "Adam";
  }
  return "none";
}

absl::Status CheckStep(OptimizerKind kind, const OptimizerStep& step) {
  if (!std::isfinite(step.learning_rate)) {
    return Refuse(kind, "learning_rate", step.learning_rate, "finite");
  }
  if (!std::isfinite(step.scale)) {
    return Refuse(kind, "scale", step.scale, "finite");
  }
  if (!std::isfinite(step.eps) || step.eps < 0) {
    return Refuse(kind, "eps", step.eps, "0 or more, finite");
  }
  if (kind != OptimizerKind::kAdam) return absl::OkStatus();
  if (!(step.beta1 >= 0 && step.beta1 < 1)) {
    return Refuse(kind, "beta1", step.beta1, "0 to below 1");
  }
  if (!(step.beta2 >= 0 && step.beta2 < 1)) {
    return Refuse(kind, "beta2", step.beta2, "0 to below 1");
  }
  return absl::OkStatus();
}

double PowerOf(double base, uint64_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = power * base;
    base = base * base;
  }
  return power;
}

void StepSgd(const OptimizerStep& step, size_t width, const float* gradient,
             float* w) {
  const auto lr = static_cast<float>(step.learning_rate);
  const float scale = ScaleOf(step);
  for (size_t i = 0; i < width; ++i) {
    const float g = scale * gradient[i];
    w[i] = w[i] - lr * g;
  }
}

void StepAdagrad(const OptimizerStep& step, size_t width, const float* gradient,
                 float* w, float* sum) {
  const auto lr = static_cast<float>(step.learning_rate);
  const auto eps = static_cast<float>(step.eps);
  const float scale = ScaleOf(step);
  for (size_t i = 0; i < width; ++i) {
    const float g = scale * gradient[i];
    sum[i] = sum[i] + g * g;
    w[i] = w[i] - (lr * g) / (std::sqrt(sum[i]) + eps);
  }
}

void StepAdam(const OptimizerStep& step, uint64_t t, size_t width,
              const float* gradient, float* w, float* m, float* v) {
  const auto lr = static_cast<float>(step.learning_rate);
  const auto eps = static_cast<float>(step.eps);
  const auto beta1 = static_cast<float>(step.beta1);
  const auto beta2 = static_cast<float>(step.beta2);
  const auto rest1 = static_cast<float>(1 - step.beta1);
  const auto rest2 = static_cast<float>(1 - step.beta2);
  const auto bias1 = static_cast<float>(1 - PowerOf(step.beta1, t));
  const auto bias2 = static_cast<float>(1 - PowerOf(step.beta2, t));
  const float scale = ScaleOf(step);
  for (size_t i = 0; i < width; ++i) {
    const float g = scale * gradient[i];
    m[i] = beta1 * m[i] + rest1 * g;
    v[i] = beta2 * v[i] + rest2 * (g * g);
    w[i] = w[i] - (lr * (m[i] / bias1)) / (std::sqrt(v[i] / bias2) + eps);
  }
}

}  // namespace tributary
