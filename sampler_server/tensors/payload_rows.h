// The places in a table of the rows that a request names.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_PAYLOAD_ROWS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_PAYLOAD_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/tensors/tensor_table.h"

namespace tributary {

// Checks the row numbers that a payload begins with and turns them into places,
// in steps. Copyable; for one thread at a time.
class PayloadRows {
 public:
  // Requires a payload that outlives it. INVALID_ARGUMENT unless it is exactly
  // `num_rows` row numbers and `bytes_per_row` more for each.
  static absl::StatusOr<PayloadRows> Begin(std::shared_ptr<TensorTable> table,
                                           absl::Span<const uint8_t> payload,
                                           uint64_t num_rows,
                                           size_t bytes_per_row);

  // Returns whether all are checked. OUT_OF_RANGE for a row beyond the tensor;
  // FAILED_PRECONDITION for one of another server.
  absl::StatusOr<bool> Step(WorkSlice& slice);
  std::vector<uint64_t> Take() { return std::move(rows_); }

 private:
  PayloadRows(std::shared_ptr<TensorTable> table,
              absl::Span<const uint8_t> numbers)
      : table_(std::move(table)), numbers_(numbers) {
    rows_.reserve(numbers.size() / sizeof(uint64_t));
  }
  // Returns why the row is not one of the table.
  absl::Status Refusal(uint64_t row) const;

  std::shared_ptr<TensorTable> table_;
  absl::Span<const uint8_t> numbers_;
  std::vector<uint64_t> rows_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_PAYLOAD_ROWS_H_
