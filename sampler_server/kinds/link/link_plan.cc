#include "sampler_server/kinds/link/link_plan.h"

#include <cmath>
#include <memory>
#include <utility>

#include "common/random/degree_weight.h"
#include "common/text/status.h"
#include "sampler_server/engine/plan/spec_error.h"
#include "sampler_server/kinds/neighbor/neighbor_plan.h"

namespace tributary {
namespace {

// Memory of a link or negative while it is drawn and numbered, beside its
// tensors: ids and numbers of its ends.
constexpr uint64_t kBytesPerPair = 64;
// Memory of each supervision type but the first: its state, names of tensors.
constexpr uint64_t kBytesPerType = 4096;

absl::Status CheckNegatives(const v1::SessionSpec& spec, LabelType label) {
  const v1::LinkSampling& link = spec.link();
  if (!v1::NegativeMode_IsValid(link.negatives())) {
    return SpecError(
        "link.negatives", static_cast<int>(link.negatives()),
        "; allowed: none (0), binary (1), triplet (2), destination (3)");
  }
  const uint64_t given = spec.inputs().negatives();
  if (given != 0 && static_cast<double>(given) != link.amount()) {
    return SpecError("inputs.negatives", given, " with link.amount ",
                     link.amount(), "; allowed: 0, or as many");
  }
  if (link.negatives() == v1::NEGATIVE_MODE_NONE) {
    if (link.amount() != 0) {
      return SpecError("link.amount", link.amount(),
                       " without negatives; allowed: 0");
    }
    if (link.degree_power() != 0) {
      return SpecError("link.degree_power", link.degree_power(),
                       " without negatives; allowed: 0");
    }
    if (!link.strict()) return absl::OkStatus();
    return SpecError("link.strict", "without negatives; allowed: false");
  }
  if (!v1::OnExhausted_IsValid(link.on_exhausted())) {
    return SpecError("link.on_exhausted", static_cast<int>(link.on_exhausted()),
                     "; allowed: error (0), accept (1)");
  }
  NegativeSampling asked{static_cast<NegativeMode>(link.negatives()),
                         link.amount()};
  if (link.degree_power() > kWholePower) {
    return SpecError("link.degree_power", link.degree_power(),
                     "; allowed: 0 to ", kWholePower);
  }
  asked.degree_power = static_cast<double>(link.degree_power()) / kWholePower;
  asked.given = given != 0;
  asked.strict = link.strict();
  asked.on_exhausted = static_cast<OnExhausted>(link.on_exhausted());
  const absl::Status status =
      CheckNegatives(asked, spec.batch_size(), label,
                     link.neighbor().time() == v1::TIME_COLUMN_NODE,
                     static_cast<uint64_t>(spec.inputs().link_lists_size()));
  return status.ok() ? status : SpecError("link", status.message());
}

absl::Status CheckExclude(const v1::SessionSpec& spec) {
  const v1::ExcludedLinks exclude = spec.link().exclude();
  if (!v1::ExcludedLinks_IsValid(exclude)) {
    return SpecError("link.exclude", static_cast<int>(exclude),
                     "; allowed: none (0), self (1), reverse_id (2), "
                     "reverse_types (3), pair (4)");
  }
  const bool ids = NeedsEdgeIds(static_cast<ExcludeMode>(exclude));
  if (ids == spec.inputs().edge_ids()) return absl::OkStatus();
  return SpecError("inputs.edge_ids", ids ? "false" : "true", " with exclude ",
                   static_cast<int>(exclude),
                   "; allowed: ", ids ? "true" : "false");
}

// Drawn nodes must exist at the link's time if their type has times.
void PlanTimes(const GraphSchema& schema, const v1::SessionSpec& spec,
               const LinkPlan& part, SupervisionType* type) {
  if (spec.link().neighbor().time() != v1::TIME_COLUMN_NODE || part.given ||
      part.mode == NegativeMode::kNone) {
    return;
  }
  type->source_in_time = part.mode == NegativeMode::kBinary &&
                         schema.node_types[type->src_type].timed;
  type->destination_in_time = schema.node_types[type->dst_type].timed;
}

absl::Status PlanDegrees(const GraphSchema& schema, uint32_t power,
                         NegativeMode mode, SupervisionType* type) {
  if (power == 0) return absl::OkStatus();
  const EdgeTypeSchema& stored = schema.edge_types[type->edge_type];
  const absl::Status status =
      CheckDegreesOf(type->name, stored.degrees, stored.num_edges);
  if (!status.ok()) return SpecError("link.degree_power", status.message());
  const auto edges = static_cast<uint64_t>(stored.num_edges);
  const auto table = [&](int node_type) {
    const auto nodes =
        static_cast<uint64_t>(schema.node_types[node_type].num_nodes);
    return std::make_shared<DegreeTable>(nodes, edges, power);
  };
  type->destinations = table(type->dst_type);
  if (mode == NegativeMode::kBinary) type->sources = table(type->src_type);
  return absl::OkStatus();
}

// Distances are between nodes of one type.
absl::Status PlanEnclosing(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const SamplingPlan& plan, LinkPlan* part) {
  const absl::Status status = CheckEnclosing(spec);
  if (!status.ok()) return SpecError("link", status.message());
  part->enclosing = spec.link().enclosing();
  if (!part->enclosing) return absl::OkStatus();
  const EdgeTypeSchema& links = schema.edge_types[plan.link_lists[0].edge_type];
  for (const PlannedEdgeType& type : plan.edge_types) {
    if (type.src_type == links.src_type && type.dst_type == links.src_type) {
      continue;
    }
    return SpecError("link.enclosing", "with edge type ", type.name,
                     " between nodes of other types; allowed: fanout 0 of it");
  }
  if (links.src_type == links.dst_type) return absl::OkStatus();
  return SpecError("link.enclosing", "of ", links.name(),
                   ", whose ends are of two types; allowed: of one");
}

// Returns the edge type of the links' reverses; -1: none is excluded.
absl::StatusOr<int> ReverseType(const GraphSchema& schema, int link_type,
                                ExcludeMode exclude) {
  const EdgeTypeSchema& type = schema.edge_types[link_type];
  if (exclude == ExcludeMode::kReverseId) {
    if (type.src_type == type.dst_type) return link_type;
    return SpecError("link.exclude", "reverse_id of ", type.name(),
                     ", whose ends are of two types; allowed: reverse_types");
  }
  if (exclude != ExcludeMode::kReverseTypes) return -1;
  const std::string name = type.dst + ",rev_" + type.rel + "," + type.src;
  const int found = schema.FindEdgeType(name);
  if (found >= 0) return found;
  return SpecError("link.exclude", "reverse_types, but the graph has no ", name,
                   "; allowed: with a graph partitioned with --add-reverse");
}

void NameTensors(const EdgeTypeSchema& type, bool shared,
                 SupervisionType* planned) {
  planned->link_suffix = "/" + type.src + "__" + type.rel + "__" + type.dst;
  planned->src_suffix = shared ? planned->link_suffix : "/" + type.src;
  planned->dst_suffix = shared ? planned->link_suffix : "/" + type.dst;
}

absl::StatusOr<SupervisionType> PlanType(const GraphSchema& schema,
                                         const v1::SessionSpec& spec,
                                         const SamplingPlan& plan,
                                         const LinkPlan& part, int edge_type) {
  const EdgeTypeSchema& type = schema.edge_types[edge_type];
  SupervisionType planned;
  planned.edge_type = edge_type;
  planned.src_type = type.src_type;
  planned.dst_type = type.dst_type;
  planned.name = type.name();
  ASSIGN_OR_RETURN(planned.reverse_type,
                   ReverseType(schema, edge_type, part.exclude));
  PlanTimes(schema, spec, part, &planned);
  RETURN_IF_ERROR(
      PlanDegrees(schema, spec.link().degree_power(), part.mode, &planned));
  if (plan.typed_names) {
    NameTensors(type, plan.link_lists.size() > 1, &planned);
  }
  return planned;
}

}  // namespace

absl::Status LinkPlan::Fill(const GraphSchema& schema,
                            const v1::SessionSpec& spec, SamplingPlan* plan) {
  RETURN_IF_ERROR(CheckNegatives(spec, plan->label));
  RETURN_IF_ERROR(CheckExclude(spec));
  RETURN_IF_ERROR(PlanNeighbors(schema, spec, plan));
  auto part = std::make_shared<LinkPlan>();
  part->mode = static_cast<NegativeMode>(spec.link().negatives());
  part->amount = spec.link().amount();
  part->given = spec.inputs().negatives() != 0;
  part->strict = spec.link().strict();
  part->accept_exhausted =
      spec.link().on_exhausted() == v1::ON_EXHAUSTED_ACCEPT;
  part->exclude = static_cast<ExcludeMode>(spec.link().exclude());
  RETURN_IF_ERROR(PlanEnclosing(schema, spec, *plan, part.get()));
  std::vector<uint64_t> counts;
  for (const PlannedLinkList& list : plan->link_lists) {
    ASSIGN_OR_RETURN(part->types.emplace_back(),
                     PlanType(schema, spec, *plan, *part, list.edge_type));
    counts.push_back(list.count);
  }
  for (const SupervisionType& type : part->types) {
    for (const auto& table : {type.sources, type.destinations}) {
      if (table != nullptr) plan->shared_bytes += table->bytes();
    }
  }
  part->lists = LinkLists(counts);
  plan->task_bytes = (part->types.size() - 1) * kBytesPerType;
  plan->task_bytes_per_input =
      kBytesPerPair *
      (1 + static_cast<uint64_t>(std::ceil(spec.link().amount())));
  plan->part = std::move(part);
  return absl::OkStatus();
}

}  // namespace tributary
