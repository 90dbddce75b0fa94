// The order in which rows of an evaluation are summed.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_INPUT_ORDER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_INPUT_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Returns the rows in ascending order of their input numbers: element i is the
// row whose input number is the i-th smallest. Ranks evaluate inputs in an
// order that depends on the world size; metrics of rows in this order do not,
// to the last bit. INVALID_ARGUMENT, naming the number, if two rows have the
// same one.
absl::StatusOr<std::vector<size_t>> InputOrder(
    absl::Span<const uint64_t> input_numbers);

// Returns `values`, which has `columns` values for each row of `order`, with
// its rows in that order.
//
//   ASSIGN_OR_RETURN(const auto order, InputOrder(input_numbers));
//   scores = InOrder<float>(scores, num_tasks, order);
template <typename T>
std::vector<T> InOrder(absl::Span<const T> values, size_t columns,
                       absl::Span<const size_t> order) {
  std::vector<T> ordered;
  ordered.reserve(values.size());
  for (size_t row : order) {
    const auto of_row = values.subspan(row * columns, columns);
    ordered.insert(ordered.end(), of_row.begin(), of_row.end());
  }
  return ordered;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_INPUT_ORDER_H_
