// Checks of what requests say, before anything is done with it.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/attempt.h"
#include "sampler_server/tensors/row_initializer.h"
#include "sampler_server/tensors/tensor_table.h"

namespace tributary {

inline constexpr size_t kMaxRowBytes = size_t{1} << 20;
inline constexpr uint64_t kMaxTensorRows = uint64_t{1} << 48;

// Returns the job's name; "default" for an empty one. INVALID_ARGUMENT unless
// it is at most 200 bytes of UTF-8.
absl::StatusOr<std::string> CheckJob(const std::string& job);
// Returns job and graph. INVALID_ARGUMENT for a name or digest that is none.
absl::StatusOr<AttemptScope> CheckScope(const v1::AttemptRef& ref);

// INVALID_ARGUMENT, naming the field and what is allowed.
absl::StatusOr<TensorShape> CheckTensorSpec(const v1::TensorSpec& spec);
absl::StatusOr<RowInitializer> CheckInitialValue(const v1::TensorSpec& spec);
absl::StatusOr<OptimizerKind> CheckOptimizer(v1::SparseOptimizer optimizer);

// Returns the places in the table of the `num_rows` row numbers that `payload`
// begins with. INVALID_ARGUMENT unless the payload is exactly these and
// `bytes_per_row` more for each; OUT_OF_RANGE for a row beyond the tensor;
// FAILED_PRECONDITION for one of another server.
absl::StatusOr<std::vector<uint64_t>> CheckRows(
    const TensorTable& table, absl::Span<const uint8_t> payload,
    uint64_t num_rows, size_t bytes_per_row);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_
