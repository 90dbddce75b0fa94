#include "common/session/kinds/ppr_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/session/refuse.h"
#include "common/session/saturating.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr double kWhole = 4294967296.0;  // 2^32

absl::Status CheckOptions(const PprOptions& ppr, uint64_t batch_size) {
  if (ppr.top_k < 1 || ppr.top_k > kMaxPprTopK) {
    return Refuse("top_k: ", ppr.top_k, "; allowed: 1 to ", kMaxPprTopK);
  }
  if (batch_size > INT32_MAX / (uint64_t{ppr.top_k} + 1)) {
    return Refuse("batch_size: ", batch_size, " inputs with ", ppr.top_k,
                  " nodes for each; allowed: up to ", INT32_MAX,
                  " nodes a batch");
  }
  if (!(ppr.alpha >= kMinPprAlpha && ppr.alpha <= 1)) {
    return Refuse("alpha: ", ppr.alpha, "; allowed: ", kMinPprAlpha, " to 1");
  }
  if (!(ppr.epsilon <= 1 && ppr.alpha * ppr.epsilon >= kMinPprAlphaEpsilon)) {
    return Refuse("epsilon: ", ppr.epsilon, "; allowed with alpha ", ppr.alpha,
                  ": ", kMinPprAlphaEpsilon / ppr.alpha, " to 1");
  }
  return absl::OkStatus();
}

uint64_t ShareOf(double part) {
  return static_cast<uint64_t>(std::nearbyint(part * kWhole));
}

}  // namespace

absl::StatusOr<std::string> BuildPprSpec(const SpecGraph& graph,
                                         const SpecOptions& common,
                                         const PprOptions& ppr) {
  RETURN_IF_ERROR(CheckOptions(ppr, common.batch_size));
  ASSIGN_OR_RETURN(
      const std::string edge_type,
      ResolveSelfEdgeType(graph, ppr.edge_type, common.input_type));
  return BuildSpecOfKind(graph, common, [&](v1::SessionSpec* spec) {
    v1::PprSampling* message = spec->mutable_ppr();
    message->set_top_k(ppr.top_k);
    message->set_alpha(ShareOf(ppr.alpha));
    message->set_epsilon(ShareOf(ppr.epsilon));
    message->set_edge_type(edge_type);
    return absl::OkStatus();
  });
}

uint64_t PprBatchBytesBound(const PprBoundInputs& in) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  const uint64_t entries = SaturatingMultiply(in.num_inputs, in.top_k);
  // ppr_id, ppr_index, ppr_weight; input_id and seed_index; the rest.
  uint64_t bytes = SaturatingAdd(SaturatingMultiply(entries, 8 + 4 + 4),
                                 SaturatingMultiply(in.num_inputs, 8 + 4));
  bytes =
      SaturatingAdd(bytes, 9 * (kPerTensor + 2 * in.node_type.size()) + 256);
  const uint64_t nodes =
      std::min(in.num_nodes, SaturatingAdd(entries, in.num_inputs));
  return SaturatingAdd(
      bytes, SaturatingMultiply(nodes, SaturatingAdd(8, in.row_bytes)));
}

}  // namespace tributary
