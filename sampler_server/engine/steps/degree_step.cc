#include "sampler_server/engine/steps/degree_step.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status WriteDegrees(const EdgeTypeSchema& type, const char* name,
                          const IdArray& degrees,
                          absl::Span<const int64_t> nodes,
                          absl::Span<uint8_t> tensor) {
  // Tensors start at 64-byte boundaries of an aligned room.
  auto* out = reinterpret_cast<int64_t*>(tensor.data());
  for (const int64_t node : nodes) {
    const uint64_t degree = degrees[static_cast<size_t>(node)];
    if (degree > static_cast<uint64_t>(type.num_edges)) {
      return absl::DataLossError(absl::StrCat(
          name, " of node ", node, " in ", type.name(), " is ", degree, " of ",
          type.num_edges, " edges: verify the graph"));
    }
    *out++ = static_cast<int64_t>(degree);
  }
  return absl::OkStatus();
}

}  // namespace

void DegreeStep::Start(Done done) {
  done_ = std::move(done);
  WriteType(0);
}

void DegreeStep::WriteType(size_t index) {
  if (!context_.control->ContinueOrEnd()) return;
  if (index == context_.plan->edge_types.size()) {
    return std::exchange(done_, nullptr)(absl::OkStatus());
  }
  const absl::Status status = WriteEnds(index);
  if (!status.ok()) return std::exchange(done_, nullptr)(status);
  context_.strand->Post(
      [self = shared_from_this(), index] { self->WriteType(index + 1); });
}

absl::Status DegreeStep::WriteEnds(size_t index) const {
  const BatchWriter::Degrees to = writer_->degrees(index, room_);
  if (to.in.empty() && to.out.empty()) return absl::OkStatus();
  const int edge_type = context_.plan->edge_types[index].emitted_type();
  const EdgeTypeSchema& type = context_.graph->schema().edge_types[edge_type];
  const DegreeArrays* degrees = context_.graph->degrees(edge_type);
  if (degrees == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the graph stores no degrees of ", type.name()));
  }
  RETURN_IF_ERROR(WriteDegrees(type, "in_degree", degrees->in,
                               OriginalIds(type.dst_type), to.in));
  return WriteDegrees(type, "out_degree", degrees->out,
                      OriginalIds(type.src_type), to.out);
}

absl::Span<const int64_t> DegreeStep::OriginalIds(int node_type) const {
  const std::vector<int>& types = context_.plan->node_types;
  const auto found = std::lower_bound(types.begin(), types.end(), node_type);
  const auto bytes =
      writer_->node_rows(static_cast<size_t>(found - types.begin()), room_)
          .n_id;
  return {reinterpret_cast<const int64_t*>(bytes.data()),
          bytes.size() / sizeof(int64_t)};
}

}  // namespace tributary
