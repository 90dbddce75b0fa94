#include "common/batch/batch_counts.h"

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

// Returns the number of elements of tensor `name`, or of all its name/TYPE.
uint64_t Count(const BatchView& batch, absl::string_view name) {
  uint64_t sum = 0;
  for (const TensorView& tensor : batch.tensors()) {
    absl::string_view rest = tensor.name;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    if (rest.empty() || rest[0] == '/') {
      sum += static_cast<uint64_t>(NumElements(tensor.shape));
    }
  }
  return sum;
}

}  // namespace

BatchCounts& BatchCounts::operator+=(const BatchCounts& other) {
  inputs += other.inputs;
  nodes += other.nodes;
  edges += other.edges;
  bytes += other.bytes;
  return *this;
}

BatchCounts CountBatch(const BatchView& batch) {
  return {Count(batch, "input_id"), Count(batch, "n_id"),
          Count(batch, "edge_index") / 2, batch.payload_bytes()};
}

}  // namespace tributary
