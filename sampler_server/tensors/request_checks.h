// Checks of what requests say, before anything is done with it.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/attempt.h"
#include "sampler_server/tensors/tensor_table.h"
#include "sampler_server/tensors/values/row_initializer.h"

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

// INVALID_ARGUMENT unless the address of a server has 1 to 300 bytes of UTF-8.
absl::Status CheckMemberAddress(const std::string& address);

// INVALID_ARGUMENT if the serialized message `header` has more than `most`
// fields `number`, called `what`. Looks before it is parsed, which takes
// memory and time for each.
absl::Status CheckCount(std::string_view header, int number, size_t most,
                        absl::string_view what);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_REQUEST_CHECKS_H_
