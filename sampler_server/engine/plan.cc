#include "sampler_server/engine/plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/session/hop_key.h"
#include "common/session/limits.h"
#include "common/status.h"

namespace tributary {
namespace {

template <typename... Parts>
absl::Status Refuse(std::string_view field, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(
      "session specification: ", absl::string_view(field.data(), field.size()),
      ": ", parts...));
}

// A field that this program does not know may change what is sampled.
absl::Status RefuseUnknownFields(const google::protobuf::Message& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (unknown.empty()) return absl::OkStatus();
  return Refuse(message.GetTypeName(), "field ", unknown.field(0).number(),
                " is unknown to this program, made for semantics version ",
                kSemanticsVersion);
}

absl::Status CheckAllKnown(const v1::SessionSpec& spec) {
  RETURN_IF_ERROR(RefuseUnknownFields(spec));
  RETURN_IF_ERROR(RefuseUnknownFields(spec.inputs()));
  RETURN_IF_ERROR(RefuseUnknownFields(spec.neighbor()));
  for (const auto& fanout : spec.neighbor().fanouts()) {
    RETURN_IF_ERROR(RefuseUnknownFields(fanout));
  }
  return absl::OkStatus();
}

std::string HexOf(std::string_view digest) {
  Sha256Digest bytes{};
  std::copy_n(digest.begin(), std::min(digest.size(), bytes.size()),
              bytes.begin());
  return ToHex(bytes);
}

bool Same(std::string_view bytes, const Sha256Digest& digest) {
  return std::equal(
      bytes.begin(), bytes.end(), digest.begin(), digest.end(),
      [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

absl::Status CheckGraph(const GraphSchema& schema,
                        const v1::SessionSpec& spec) {
  if (spec.semantics_version() != kSemanticsVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session specification: semantics_version ", spec.semantics_version(),
        "; this server has ", kSemanticsVersion));
  }
  if (spec.content_digest().size() != schema.content_digest.size()) {
    return Refuse("content_digest", spec.content_digest().size(),
                  " bytes; allowed: 32");
  }
  if (!Same(spec.content_digest(), schema.content_digest)) {
    return absl::FailedPreconditionError(
        absl::StrCat("session specification: content_digest ",
                     HexOf(spec.content_digest()), "; this server's graph '",
                     schema.name, "' has ", ToHex(schema.content_digest)));
  }
  return absl::OkStatus();
}

absl::Status CheckShuffle(const GraphSchema& schema,
                          const v1::SessionSpec& spec) {
  switch (spec.shuffle()) {
    case v1::SHUFFLE_NONE:
    case v1::SHUFFLE_GLOBAL:
      if (spec.layout_digest().empty()) return absl::OkStatus();
      return Refuse("layout_digest", spec.layout_digest().size(),
                    " bytes; allowed: none without shuffle LOCAL");
    case v1::SHUFFLE_LOCAL:
      break;
    default:
      return Refuse("shuffle", static_cast<int>(spec.shuffle()),
                    "; allowed: NONE (1), GLOBAL (2), LOCAL (3)");
  }
  if (spec.layout_digest().size() != schema.layout_digest.size()) {
    return Refuse("layout_digest", spec.layout_digest().size(),
                  " bytes; allowed: 32 with shuffle LOCAL");
  }
  if (Same(spec.layout_digest(), schema.layout_digest)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("session specification: layout_digest ",
                   HexOf(spec.layout_digest()), "; this server's graph '",
                   schema.name, "' has ", ToHex(schema.layout_digest)));
}

absl::Status FillInputs(const GraphSchema& schema, const v1::SessionSpec& spec,
                        SamplingPlan* plan) {
  const v1::Inputs& inputs = spec.inputs();
  plan->input_type = schema.FindNodeType(inputs.node_type());
  if (plan->input_type < 0) {
    return Refuse("inputs.node_type", "'", inputs.node_type(), "'; allowed: ",
                  absl::StrJoin(schema.node_types, ", ",
                                [](std::string* out, const NodeTypeSchema& t) {
                                  out->append(t.name);
                                }));
  }
  if (inputs.count() == 0) return Refuse("inputs.count", "0; allowed: 1 up");
  if (inputs.sha256().size() != sizeof(Sha256Digest)) {
    return Refuse("inputs.sha256", inputs.sha256().size(),
                  " bytes; allowed: 32");
  }
  if (spec.batch_size() == 0 || spec.batch_size() > kMaxBatchSize) {
    return Refuse("batch_size", spec.batch_size(), "; allowed: 1 to ",
                  kMaxBatchSize);
  }
  plan->input_count = inputs.count();
  plan->batch_size = spec.batch_size();
  return absl::OkStatus();
}

absl::Status CheckHops(const v1::EdgeTypeFanout& entry, int num_hops) {
  if (entry.per_hop_size() != num_hops) {
    return Refuse("neighbor.fanouts", entry.edge_type(), " has ",
                  entry.per_hop_size(), " hops, the first type ", num_hops,
                  "; allowed: one length for all");
  }
  for (int32_t fanout : entry.per_hop()) {
    if (fanout >= -1 && fanout <= kMaxFanout) continue;
    return Refuse("neighbor.fanouts", entry.edge_type(), " has ", fanout,
                  "; allowed: -1 (all) to ", kMaxFanout);
  }
  return absl::OkStatus();
}

absl::StatusOr<int> FindEdgeType(const GraphSchema& schema,
                                 const std::string& name) {
  const int found = schema.FindEdgeType(name);
  if (found >= 0) return found;
  return Refuse("neighbor.fanouts", "edge type '", name, "'; allowed: ",
                absl::StrJoin(schema.edge_types, " ",
                              [](std::string* out, const EdgeTypeSchema& t) {
                                out->append(t.name());
                              }));
}

absl::Status FillFanouts(const GraphSchema& schema,
                         const v1::NeighborSampling& neighbor,
                         SamplingPlan* plan) {
  if (neighbor.fanouts_size() == 0) {
    return Refuse("neighbor.fanouts", "empty; allowed: one or more edge types");
  }
  plan->num_hops = neighbor.fanouts(0).per_hop_size();
  if (plan->num_hops < 1 || plan->num_hops > kMaxHops) {
    return Refuse("neighbor.fanouts", plan->num_hops, " hops; allowed: 1 to ",
                  kMaxHops);
  }
  int last = -1;
  for (const v1::EdgeTypeFanout& entry : neighbor.fanouts()) {
    ASSIGN_OR_RETURN(const int type, FindEdgeType(schema, entry.edge_type()));
    if (type <= last) {
      return Refuse("neighbor.fanouts", "edge type ", entry.edge_type(),
                    " is out of canonical order or named twice");
    }
    last = type;
    RETURN_IF_ERROR(CheckHops(entry, plan->num_hops));
    const auto& per_hop = entry.per_hop();
    // A homogeneous batch always has its edge tensors, as PyG's has.
    if (schema.heterogeneous && std::all_of(per_hop.begin(), per_hop.end(),
                                            [](int32_t k) { return k == 0; })) {
      continue;
    }
    const EdgeTypeSchema& edge = schema.edge_types[type];
    plan->edge_types.push_back({type,
                                edge.src_type,
                                edge.dst_type,
                                edge.name(),
                                {per_hop.begin(), per_hop.end()}});
  }
  return absl::OkStatus();
}

absl::Status FillNeighbor(const GraphSchema& schema,
                          const v1::SessionSpec& spec, SamplingPlan* plan) {
  if (!spec.has_neighbor()) {
    return Refuse("kind", "not set; allowed: neighbor");
  }
  const v1::NeighborSampling& neighbor = spec.neighbor();
  if (neighbor.expand() != v1::EXPAND_NEW &&
      neighbor.expand() != v1::EXPAND_ALL) {
    return Refuse("neighbor.expand", static_cast<int>(neighbor.expand()),
                  "; allowed: NEW (1), ALL (2)");
  }
  plan->replace = neighbor.replace();
  plan->expand_all = neighbor.expand() == v1::EXPAND_ALL;
  return FillFanouts(schema, neighbor, plan);
}

void FillNodeTypes(SamplingPlan* plan) {
  plan->node_types = {plan->input_type};
  for (const PlannedEdgeType& edge : plan->edge_types) {
    plan->node_types.push_back(edge.src_type);
    plan->node_types.push_back(edge.dst_type);
  }
  std::sort(plan->node_types.begin(), plan->node_types.end());
  plan->node_types.erase(
      std::unique(plan->node_types.begin(), plan->node_types.end()),
      plan->node_types.end());
}

}  // namespace

absl::StatusOr<SamplingPlan> SamplingPlan::Make(const GraphSchema& schema,
                                                std::string_view spec_bytes) {
  SamplingPlan plan;
  if (!plan.spec.ParseFromArray(spec_bytes.data(),
                                static_cast<int>(spec_bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("session specification: ", spec_bytes.size(),
                     " bytes are no SessionSpec"));
  }
  // The version first: it tells why the rest may not be understood.
  RETURN_IF_ERROR(CheckGraph(schema, plan.spec));
  RETURN_IF_ERROR(CheckAllKnown(plan.spec));
  RETURN_IF_ERROR(CheckShuffle(schema, plan.spec));
  RETURN_IF_ERROR(FillInputs(schema, plan.spec, &plan));
  RETURN_IF_ERROR(FillNeighbor(schema, plan.spec, &plan));
  FillNodeTypes(&plan);
  plan.session = Sha256Of(spec_bytes);
  plan.random_seed = plan.spec.random_seed();
  plan.collect_features = plan.spec.collect_features();
  plan.typed_names = schema.heterogeneous;
  return plan;
}

bool NeedsPositions(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type) {
  return plan.collect_features &&
         schema.edge_types[type.edge_type].edge_attr.has_value();
}

}  // namespace tributary
