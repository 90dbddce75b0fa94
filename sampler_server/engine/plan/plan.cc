#include "sampler_server/engine/plan/plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/random/hop_key.h"
#include "common/session/limits.h"
#include "common/text/status.h"
#include "partition/schema/feature_columns.h"
#include "partition/schema/stored_degrees.h"
#include "sampler_server/engine/plan/spec_error.h"

namespace tributary {
namespace {

// Refuses unknown fields: they may change what is sampled.
absl::Status RefuseUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return SpecError(message.GetTypeName(), "field ", unknown.field(0).number(),
                     " is unknown to this program, made for semantics version ",
                     kSemanticsVersion);
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      RETURN_IF_ERROR(
          RefuseUnknownFields(reflection.GetMessage(message, field)));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      RETURN_IF_ERROR(RefuseUnknownFields(
          reflection.GetRepeatedMessage(message, field, i)));
    }
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
    return SpecError("content_digest", spec.content_digest().size(),
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
    case v1::SHUFFLE_WEIGHTED:
      if (spec.layout_digest().empty()) return absl::OkStatus();
      return SpecError("layout_digest", spec.layout_digest().size(),
                       " bytes; allowed: none without shuffle LOCAL");
    case v1::SHUFFLE_LOCAL:
      break;
    default:
      return SpecError(
          "shuffle", static_cast<int>(spec.shuffle()),
          "; allowed: NONE (1), GLOBAL (2), LOCAL (3), WEIGHTED (4)");
  }
  if (spec.layout_digest().size() != schema.layout_digest.size()) {
    return SpecError("layout_digest", spec.layout_digest().size(),
                     " bytes; allowed: 32 with shuffle LOCAL");
  }
  if (Same(spec.layout_digest(), schema.layout_digest)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("session specification: layout_digest ",
                   HexOf(spec.layout_digest()), "; this server's graph '",
                   schema.name, "' has ", ToHex(schema.layout_digest)));
}

absl::Status FillNodeInputs(const GraphSchema& schema, const v1::Inputs& inputs,
                            SamplingPlan* plan) {
  if (inputs.label() != v1::LABEL_TYPE_NONE) {
    return SpecError("inputs.label", static_cast<int>(inputs.label()),
                     "; allowed: none (0) for nodes");
  }
  if (inputs.edge_ids()) {
    return SpecError("inputs.edge_ids", "true; allowed: false for nodes");
  }
  if (inputs.negatives() != 0) {
    return SpecError("inputs.negatives", inputs.negatives(),
                     "; allowed: 0 for nodes");
  }
  plan->input_type = schema.FindNodeType(inputs.node_type());
  if (plan->input_type >= 0) return absl::OkStatus();
  return SpecError("inputs.node_type", "'", inputs.node_type(), "'; allowed: ",
                   absl::StrJoin(schema.node_types, ", ",
                                 [](std::string* out, const NodeTypeSchema& t) {
                                   out->append(t.name);
                                 }));
}

absl::StatusOr<int> FindLinkType(const GraphSchema& schema,
                                 absl::string_view field,
                                 const std::string& name) {
  const int type = schema.FindEdgeType(name);
  if (type >= 0) return type;
  return SpecError(field, "'", name, "'; allowed: ", schema.EdgeTypeNames());
}

// Links of several edge types.
absl::Status FillLinkLists(const GraphSchema& schema, const v1::Inputs& inputs,
                           SamplingPlan* plan) {
  if (inputs.link_lists_size() == 1 || !inputs.edge_type().empty()) {
    return SpecError("inputs.link_lists", inputs.link_lists_size(),
                     " with edge_type '", inputs.edge_type(),
                     "'; allowed: two or more, or edge_type alone");
  }
  uint64_t left = inputs.count();
  int last = -1;
  for (const v1::LinkList& list : inputs.link_lists()) {
    ASSIGN_OR_RETURN(const int type, FindLinkType(schema, "inputs.link_lists",
                                                  list.edge_type()));
    if (type <= last) {
      return SpecError("inputs.link_lists", list.edge_type(), " after ",
                       schema.edge_types[last].name(),
                       "; allowed: canonical order, each type once");
    }
    if (list.count() == 0 || list.count() > left) {
      return SpecError("inputs.link_lists", list.count(), " links of ",
                       list.edge_type(), "; allowed: 1 up to ", left,
                       ", what is left of inputs.count");
    }
    left -= list.count();
    last = type;
    plan->link_lists.push_back({type, list.count()});
  }
  if (left == 0) return absl::OkStatus();
  return SpecError("inputs.count", inputs.count(), ", ", left,
                   " more than in link_lists; allowed: as many");
}

absl::Status FillLinkInputs(const GraphSchema& schema, const v1::Inputs& inputs,
                            SamplingPlan* plan) {
  if (!inputs.node_type().empty()) {
    return SpecError("inputs.node_type", "'", inputs.node_type(),
                     "' beside edge_type; allowed: one of the two");
  }
  if (!v1::LabelType_IsValid(inputs.label())) {
    return SpecError("inputs.label", static_cast<int>(inputs.label()),
                     "; allowed: none (0), int64 (1), float32 (2)");
  }
  plan->label = static_cast<LabelType>(inputs.label());
  plan->edge_ids = inputs.edge_ids();
  plan->negatives = inputs.negatives();
  plan->input_type = -1;
  if (inputs.link_lists_size() > 0) return FillLinkLists(schema, inputs, plan);
  ASSIGN_OR_RETURN(const int type, FindLinkType(schema, "inputs.edge_type",
                                                inputs.edge_type()));
  plan->link_lists.push_back({type, inputs.count()});
  return absl::OkStatus();
}

absl::Status FillInputs(const GraphSchema& schema, const v1::SessionSpec& spec,
                        SamplingPlan* plan) {
  const v1::Inputs& inputs = spec.inputs();
  if (inputs.edge_type().empty() && inputs.link_lists().empty()) {
    RETURN_IF_ERROR(FillNodeInputs(schema, inputs, plan));
  } else {
    RETURN_IF_ERROR(FillLinkInputs(schema, inputs, plan));
  }
  if (inputs.count() == 0) return SpecError("inputs.count", "0; allowed: 1 up");
  if (inputs.sha256().size() != sizeof(Sha256Digest)) {
    return SpecError("inputs.sha256", inputs.sha256().size(),
                     " bytes; allowed: 32");
  }
  if (spec.batch_size() == 0 || spec.batch_size() > kMaxBatchSize) {
    return SpecError("batch_size", spec.batch_size(), "; allowed: 1 to ",
                     kMaxBatchSize);
  }
  plan->input_count = inputs.count();
  plan->batch_size = spec.batch_size();
  return absl::OkStatus();
}

// Returns the name of the kind's field in the specification.
const std::string& FieldName(const SamplingKind* kind) {
  return v1::SessionSpec::descriptor()
      ->FindFieldByNumber(kind->field())
      ->name();
}

absl::StatusOr<const SamplingKind*> FindKind(
    absl::Span<const SamplingKind* const> kinds, const v1::SessionSpec& spec) {
  const int wanted = static_cast<int>(spec.kind_case());
  for (const SamplingKind* kind : kinds) {
    if (kind->field() == wanted) return kind;
  }
  return SpecError(
      "kind", wanted == 0 ? "not set" : "not known", "; allowed: ",
      absl::StrJoin(kinds, ", ", [](std::string* out, const SamplingKind* k) {
        out->append(FieldName(k));
      }));
}

absl::Status CheckInputsOf(const SamplingKind& kind, const SamplingPlan& plan) {
  const bool links = plan.takes_links();
  if (links == kind.takes_links()) return absl::OkStatus();
  return SpecError(links ? "inputs.edge_type" : "inputs.node_type",
                   links ? "links" : "nodes", " with kind ", FieldName(&kind),
                   "; allowed: ", links ? "nodes" : "links");
}

void FillNodeTypes(const GraphSchema& schema, SamplingPlan* plan) {
  if (plan->input_type >= 0) plan->node_types.push_back(plan->input_type);
  for (const PlannedLinkList& links : plan->link_lists) {
    plan->node_types.push_back(schema.edge_types[links.edge_type].src_type);
    plan->node_types.push_back(schema.edge_types[links.edge_type].dst_type);
  }
  for (const PlannedEdgeType& edge : plan->edge_types) {
    plan->node_types.push_back(edge.src_type);
    plan->node_types.push_back(edge.dst_type);
  }
  std::sort(plan->node_types.begin(), plan->node_types.end());
  plan->node_types.erase(
      std::unique(plan->node_types.begin(), plan->node_types.end()),
      plan->node_types.end());
}

// Sets the plan's feature_dtype and checks it against the columns that the plan
// collects. Requires the plan's types.
absl::Status FillFeatureDType(const GraphSchema& schema, SamplingPlan* plan) {
  const auto asked = FeatureDTypeFromCode(plan->spec.feature_dtype());
  if (!asked.ok()) return SpecError("features", asked.status().message());
  plan->feature_dtype = *asked;
  std::vector<int> node_types, edge_types;
  if (plan->collect.has(CollectedColumn::kX)) node_types = plan->node_types;
  for (const PlannedEdgeType& type : plan->edge_types) {
    if (!CollectsEdgeAttr(schema, *plan, type)) continue;
    edge_types.push_back(type.edge_type);
  }
  const absl::Status status =
      CheckFeatureDType(schema, node_types, edge_types, *asked);
  return status.ok() ? status : SpecError("features", status.message());
}

// Checks that the columns that are asked for by name are there. Requires the
// plan's types.
absl::Status CheckColumns(const GraphSchema& schema, const SamplingPlan& plan) {
  std::vector<int> edge_types;
  for (const PlannedEdgeType& type : plan.edge_types) {
    if (type.has_rows) edge_types.push_back(type.edge_type);
  }
  const bool seed_times =
      plan.input_type >= 0 && plan.input_time != InputTimeMode::kNone;
  const absl::Status status = CheckColumnsStored(
      schema, plan.node_types, edge_types, seed_times, plan.collect);
  return status.ok() ? status : SpecError("columns", status.message());
}

// Sets the plan's collect_degrees and checks that the graph stores the degrees
// of every type whose edges the batch has. Requires the plan's types.
absl::Status FillDegrees(const GraphSchema& schema, SamplingPlan* plan) {
  plan->collect_degrees = plan->spec.collect_degrees();
  if (!plan->collect_degrees) return absl::OkStatus();
  std::vector<int> edge_types;
  for (const PlannedEdgeType& type : plan->edge_types) {
    edge_types.push_back(type.emitted_type());
  }
  const absl::Status status = CheckDegreesStored(schema, edge_types);
  return status.ok() ? status : SpecError("degrees", status.message());
}

// Sets the plan's omit_edge_ids. Requires the plan's types.
absl::Status FillOmitEdgeIds(SamplingPlan* plan) {
  plan->omit_edge_ids = plan->spec.omit_edge_ids();
  if (!plan->omit_edge_ids || !plan->edge_types.empty()) {
    return absl::OkStatus();
  }
  return SpecError("omit_edge_ids",
                   "true, but the session's batches have no edges; allowed: "
                   "false");
}

}  // namespace

absl::StatusOr<SamplingPlan> SamplingPlan::Make(
    absl::Span<const SamplingKind* const> kinds, const GraphSchema& schema,
    std::string_view spec_bytes) {
  SamplingPlan plan;
  if (!plan.spec.ParseFromArray(spec_bytes.data(),
                                static_cast<int>(spec_bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("session specification: ", spec_bytes.size(),
                     " bytes are no SessionSpec"));
  }
  // Checks the version first: it explains why other fields may be unknown.
  RETURN_IF_ERROR(CheckGraph(schema, plan.spec));
  RETURN_IF_ERROR(RefuseUnknownFields(plan.spec));
  RETURN_IF_ERROR(CheckShuffle(schema, plan.spec));
  RETURN_IF_ERROR(FillInputs(schema, plan.spec, &plan));
  plan.session = Sha256Of(spec_bytes);
  plan.random_seed = plan.spec.random_seed();
  const auto collect = CollectedColumnsOf(plan.spec);
  if (!collect.ok()) return SpecError("columns", collect.status().message());
  plan.collect = *collect;
  plan.typed_names = schema.heterogeneous;
  ASSIGN_OR_RETURN(plan.kind, FindKind(kinds, plan.spec));
  RETURN_IF_ERROR(CheckInputsOf(*plan.kind, plan));
  RETURN_IF_ERROR(plan.kind->Plan(schema, plan.spec, &plan));
  if (plan.input_time !=
      static_cast<InputTimeMode>(plan.spec.inputs().time())) {
    return SpecError("inputs.time", static_cast<int>(plan.spec.inputs().time()),
                     "; allowed: none (0) with kind ", FieldName(plan.kind));
  }
  FillNodeTypes(schema, &plan);
  RETURN_IF_ERROR(FillFeatureDType(schema, &plan));
  RETURN_IF_ERROR(CheckColumns(schema, plan));
  RETURN_IF_ERROR(FillDegrees(schema, &plan));
  RETURN_IF_ERROR(FillOmitEdgeIds(&plan));
  return plan;
}

// The parsed specification, what is planned of it, which is no more, and
// tables.
uint64_t SamplingPlan::bytes() const {
  constexpr uint64_t kFixedBytes = 4096;
  constexpr uint64_t kBytesPerType = sizeof(PlannedEdgeType) + 256;
  return kFixedBytes + 2 * spec.SpaceUsedLong() +
         kBytesPerType * (edge_types.size() + link_lists.size()) + shared_bytes;
}

bool CollectsX(const NodeTypeSchema& type, const SamplingPlan& plan) {
  return type.x.has_value() && plan.collect.has(CollectedColumn::kX);
}

bool CollectsY(const NodeTypeSchema& type, const SamplingPlan& plan) {
  return type.y.has_value() && plan.collect.has(CollectedColumn::kY);
}

bool CollectsTime(const NodeTypeSchema& type, const SamplingPlan& plan) {
  return type.timed && plan.collect.has(CollectedColumn::kTime);
}

bool CollectsEdgeAttr(const GraphSchema& schema, const SamplingPlan& plan,
                      const PlannedEdgeType& type) {
  return type.has_rows && plan.collect.has(CollectedColumn::kEdgeAttr) &&
         schema.edge_types[type.edge_type].edge_attr.has_value();
}

bool CollectsWeight(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type) {
  return type.has_rows && plan.collect.has(CollectedColumn::kWeight) &&
         schema.edge_types[type.edge_type].weighted;
}

bool NeedsPositions(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type) {
  return CollectsEdgeAttr(schema, plan, type) ||
         CollectsWeight(schema, plan, type);
}

}  // namespace tributary
