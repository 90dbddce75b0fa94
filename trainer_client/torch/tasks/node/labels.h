// The labels of nodes as tasks read them, by the rules of docs/data.md.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABELS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABELS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"

namespace tributary {

// What stands for a label that is not there where classes do.
inline constexpr int64_t kNoLabel = -1;

// All functions take labels `y` as they are stored, of any type, [rows, C] or
// of one column [rows] or [rows, 1], on the CPU. May throw what LibTorch
// throws.

// Returns the classes, int64 [rows]; kNoLabel and NaN are kNoLabel.
// INVALID_ARGUMENT for several columns, OUT_OF_RANGE for a number that is not
// whole.
absl::StatusOr<at::Tensor> ClassLabels(const at::Tensor& y);

// Returns numbers, float32 [rows, columns]; missing ones are NaN.
at::Tensor NumberLabels(const at::Tensor& y, int64_t columns);

// Returns labels of 0 and 1 likewise; kNoLabel is missing, too. OUT_OF_RANGE
// for other numbers.
absl::StatusOr<at::Tensor> ZeroOneLabels(const at::Tensor& y, int64_t columns);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABELS_H_
