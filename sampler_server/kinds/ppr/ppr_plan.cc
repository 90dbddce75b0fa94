#include "sampler_server/kinds/ppr/ppr_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/session/kinds/ppr_spec.h"
#include "common/text/status.h"
#include "sampler_server/engine/plan/spec_error.h"
#include "sampler_server/kinds/shared/self_edge_type.h"

namespace tributary {
namespace {

constexpr uint64_t kWhole = uint64_t{1} << 32;
constexpr uint64_t kLeastAlpha = 42949673;             // 0.01 of it
constexpr uint64_t kLeastProduct = uint64_t{1} << 40;  // 2^-24 of 2^64
// Memory of an input at work: bytes for each node that its pushes reach, and
// for how many nodes. An input that takes more uses memory meant for the
// batch's room, or ends in Needs.
constexpr uint64_t kBytesPerNode = 256;
constexpr uint64_t kMostNodes = 64 << 10;

absl::Status CheckNumbers(const v1::PprSampling& ppr, uint64_t batch_size) {
  if (ppr.top_k() < 1 || ppr.top_k() > kMaxPprTopK) {
    return SpecError("ppr.top_k", ppr.top_k(), "; allowed: 1 to ", kMaxPprTopK);
  }
  if (batch_size > INT32_MAX / (uint64_t{ppr.top_k()} + 1)) {
    return SpecError("batch_size", batch_size, " inputs with ", ppr.top_k(),
                     " nodes for each; allowed: up to ", INT32_MAX,
                     " nodes a batch");
  }
  if (ppr.alpha() < kLeastAlpha || ppr.alpha() > kWhole) {
    return SpecError("ppr.alpha", ppr.alpha(), "; allowed: ", kLeastAlpha,
                     " to ", kWhole);
  }
  // A value that the client has rounded may be slightly below its own bound.
  const uint64_t least = kLeastProduct / ppr.alpha();
  if (ppr.epsilon() < least || ppr.epsilon() > kWhole) {
    return SpecError("ppr.epsilon", ppr.epsilon(), "; allowed: ", least, " to ",
                     kWhole);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PprPlan::Fill(const GraphSchema& schema,
                           const v1::PprSampling& ppr, SamplingPlan* plan) {
  RETURN_IF_ERROR(CheckNumbers(ppr, plan->batch_size));
  ASSIGN_OR_RETURN(const int found,
                   FindSelfEdgeType(schema, plan->input_type, "ppr.edge_type",
                                    ppr.edge_type()));
  auto part = std::make_shared<PprPlan>();
  part->top_k = ppr.top_k();
  part->rule = {ppr.alpha(), ppr.epsilon()};
  part->edge_type = found;
  const auto num_nodes =
      static_cast<uint64_t>(schema.node_types[plan->input_type].num_nodes);
  plan->task_bytes =
      kBytesPerNode *
      std::min({num_nodes, part->rule.most_edges() + 1, kMostNodes});
  // Memory of a node beside its tensors: its numbers, and its row's place.
  plan->task_bytes_per_input = 16 + 16 * uint64_t{ppr.top_k()};
  plan->part = std::move(part);
  return absl::OkStatus();
}

}  // namespace tributary
