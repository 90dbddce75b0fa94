#include "sampler_server/kinds/link/link_plan.h"

#include <cmath>
#include <memory>
#include <utility>

#include "common/status.h"
#include "sampler_server/engine/spec_error.h"
#include "sampler_server/kinds/neighbor/neighbor_plan.h"

namespace tributary {
namespace {

// Of a link or negative while it is drawn and numbered: ids of its ends and
// their numbers, beside its tensors.
constexpr uint64_t kBytesPerPair = 64;

absl::Status CheckNegatives(const v1::SessionSpec& spec, LabelType label) {
  const v1::LinkSampling& link = spec.link();
  if (!v1::NegativeMode_IsValid(link.negatives())) {
    return SpecError(
        "link.negatives", static_cast<int>(link.negatives()),
        "; allowed: none (0), binary (1), triplet (2), destination (3)");
  }
  if (link.negatives() == v1::NEGATIVE_MODE_NONE) {
    if (link.amount() != 0) {
      return SpecError("link.amount", link.amount(),
                       " without negatives; allowed: 0");
    }
    if (!link.strict()) return absl::OkStatus();
    return SpecError("link.strict", "without negatives; allowed: false");
  }
  if (!v1::OnExhausted_IsValid(link.on_exhausted())) {
    return SpecError("link.on_exhausted", static_cast<int>(link.on_exhausted()),
                     "; allowed: error (0), accept (1)");
  }
  if (!link.strict() && link.on_exhausted() != v1::ON_EXHAUSTED_ERROR) {
    return SpecError("link.on_exhausted",
                     "accept without strict; allowed: with strict");
  }
  const absl::Status status = CheckNegatives(
      NegativeSampling{static_cast<NegativeMode>(link.negatives()),
                       link.amount()},
      spec.batch_size(), label);
  return status.ok() ? status : SpecError("link", status.message());
}

// A negative's time is its link's: which nodes there were by then, nobody asks.
absl::Status CheckTime(const v1::SessionSpec& spec) {
  const v1::LinkSampling& link = spec.link();
  if (link.negatives() == v1::NEGATIVE_MODE_NONE ||
      link.neighbor().time() != v1::TIME_COLUMN_NODE) {
    return absl::OkStatus();
  }
  return SpecError("link.negatives",
                   "with time node, for nodes that may not be there yet; "
                   "allowed: none, or time edge");
}

}  // namespace

absl::Status LinkPlan::Fill(const GraphSchema& schema,
                            const v1::SessionSpec& spec, SamplingPlan* plan) {
  RETURN_IF_ERROR(CheckNegatives(spec, plan->label));
  RETURN_IF_ERROR(CheckTime(spec));
  RETURN_IF_ERROR(PlanNeighbors(schema, spec, plan));
  auto part = std::make_shared<LinkPlan>();
  part->mode = static_cast<NegativeMode>(spec.link().negatives());
  part->amount = spec.link().amount();
  part->strict = spec.link().strict();
  part->accept_exhausted =
      spec.link().on_exhausted() == v1::ON_EXHAUSTED_ACCEPT;
  const EdgeTypeSchema& type = schema.edge_types[plan->link_type];
  part->src_type = type.src_type;
  part->dst_type = type.dst_type;
  part->edge_type = type.name();
  if (plan->typed_names) {
    part->link_suffix = "/" + type.src + "__" + type.rel + "__" + type.dst;
    part->src_suffix = "/" + type.src;
    part->dst_suffix = "/" + type.dst;
  }
  plan->task_bytes_per_input =
      kBytesPerPair *
      (1 + static_cast<uint64_t>(std::ceil(spec.link().amount())));
  plan->part = std::move(part);
  return absl::OkStatus();
}

}  // namespace tributary
