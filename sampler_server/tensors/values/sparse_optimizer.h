// Optimizers that step single rows of float32, beside which their state lies.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_SPARSE_OPTIMIZER_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_SPARSE_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace tributary {

enum class OptimizerKind { kNone, kSgd, kAdagrad, kAdam };

// Returns "none", "SGD", "Adagrad" or "Adam".
const char* OptimizerName(OptimizerKind kind);

// Hyperparameters of a step; a value.
struct OptimizerStep {
  double learning_rate = 0;
  double eps = 0;
  double beta1 = 0;  // Adam
  double beta2 = 0;  // Adam
  double scale = 1;  // factor of the gradient

  friend bool operator==(const OptimizerStep&, const OptimizerStep&) = default;
};

// INVALID_ARGUMENT, naming the parameter, unless all are finite, eps >= 0 and,
// for Adam, 0 <= beta < 1.
absl::Status CheckStep(OptimizerKind kind, const OptimizerStep& step);

// Returns base^exponent in double: the product of base^(2^i) over the bits i
// that are set in the exponent, from the lowest one, each the square of the one
// before. std::pow would depend on the libm.
double PowerOf(double base, uint64_t exponent);

// Each formula is evaluated in float32, one operation after the other as
// written, each rounded to nearest: no fused multiply-add, no reordering, and
// so the same bits on every CPU, whatever is vectorised. Hyperparameters are
// rounded to float32 first, and those in [brackets] are computed in double and
// then rounded. `g` is the gradient, after g = scale * g where scale != 1.
//
// SGD:
//   w = w - lr * g
void StepSgd(const OptimizerStep& step, size_t width, const float* gradient,
             float* w);

// Adagrad (Duchi, Hazan and Singer 2011), as DGL's SparseAdagrad:
//   sum = sum + g * g
//   w = w - (lr * g) / (sqrt(sum) + eps)
void StepAdagrad(const OptimizerStep& step, size_t width, const float* gradient,
                 float* w, float* sum);

// Adam (Kingma and Ba 2015), as DGL's SparseAdam: t counts the row's own steps,
// this one included.
//   m = beta1 * m + [1 - beta1] * g
//   v = beta2 * v + [1 - beta2] * (g * g)
//   w = w - (lr * (m / [1 - PowerOf(beta1, t)])) /
//           (sqrt(v / [1 - PowerOf(beta2, t)]) + eps)
void StepAdam(const OptimizerStep& step, uint64_t t, size_t width,
              const float* gradient, float* w, float* m, float* v);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_SPARSE_OPTIMIZER_H_
