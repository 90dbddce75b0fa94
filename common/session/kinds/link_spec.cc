#include "common/session/kinds/link_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/random/degree_weight.h"
#include "common/session/kinds/neighbor_spec.h"
#include "common/session/limits.h"
#include "common/session/refuse.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckAmount(const NegativeSampling& negatives) {
  constexpr auto kMost = static_cast<double>(kMaxLinksAndNegatives);
  if (!(negatives.amount > 0 && negatives.amount <= kMost)) {
    return Refuse("neg_sampling.amount: ", negatives.amount,
                  "; allowed: above 0, up to ", kMaxLinksAndNegatives);
  }
  if (negatives.mode == NegativeMode::kBinary ||
      negatives.amount == std::floor(negatives.amount)) {
    return absl::OkStatus();
  }
  return Refuse("neg_sampling.amount: ", negatives.amount,
                "; allowed: a whole number, but with mode binary");
}

// Of negatives that come with the links.
absl::Status CheckGiven(const NegativeSampling& negatives) {
  if (negatives.mode != NegativeMode::kTriplet &&
      negatives.mode != NegativeMode::kDestination) {
    return Refuse("neg_destination: given with mode ",
                  negatives.mode == NegativeMode::kNone ? "none" : "binary",
                  "; allowed: with mode triplet or destination");
  }
  if (negatives.degree_power != 0) {
    return Refuse(
        "neg_sampling.degree_power: given with neg_destination; allowed: with "
        "negatives that are drawn");
  }
  if (!negatives.strict) return absl::OkStatus();
  return Refuse(
      "neg_sampling.strict: given with neg_destination; allowed: with "
      "negatives that are drawn");
}

absl::Status CheckDegreePower(const NegativeSampling& negatives) {
  const double power = negatives.degree_power;
  if (power == 0) return absl::OkStatus();
  if (!(power > 0 && power <= 1 && DegreePower(power) > 0)) {
    return Refuse("neg_sampling.degree_power: ", power,
                  "; allowed: above 0, up to 1, in steps of 2^-16");
  }
  if (negatives.mode != NegativeMode::kNone) return absl::OkStatus();
  return Refuse(
      "neg_sampling.degree_power: without negatives; allowed: with mode "
      "binary, triplet or destination");
}

// Whether they fit into a credit, which has the longest shape, so that one
// number says it.
absl::Status CheckGivenBytes(double amount, uint64_t batch_size) {
  constexpr LinkCreditShape kLongest{true, true, LabelType::kInt64, 0};
  constexpr uint64_t kOthers = LinkCreditBytes(kLongest) / sizeof(int64_t);
  constexpr uint64_t kMost = kMaxLinkCreditBytes / sizeof(int64_t);
  const uint64_t each = static_cast<uint64_t>(amount) + kOthers;
  if (each <= kMost && batch_size <= kMost / each) return absl::OkStatus();
  return Refuse("batch_size: ", batch_size, " links with ", amount,
                " of neg_destination each; allowed: batch_size x (", amount,
                " + ", kOthers, ") up to ", kMost);
}

}  // namespace

absl::Status CheckEnclosing(const v1::SessionSpec& spec) {
  const v1::LinkSampling& link = spec.link();
  if (!link.enclosing()) return absl::OkStatus();
  if (link.neighbor().subgraph_type() != v1::SUBGRAPH_TYPE_INDUCED ||
      !link.neighbor().disjoint()) {
    return Refuse(
        "enclosing: without subgraph_type induced and disjoint; allowed: with "
        "both");
  }
  if (spec.inputs().link_lists_size() > 0) {
    return Refuse(
        "enclosing: with links of several edge types; allowed: of one");
  }
  if (link.negatives() != v1::NEGATIVE_MODE_NONE) {
    return Refuse(
        "enclosing: with negatives, which have no subgraph of their own; "
        "allowed: neg_sampling none, and negatives as links with a label");
  }
  if (link.exclude() == v1::EXCLUDED_LINKS_NONE) return absl::OkStatus();
  return Refuse(
      "enclosing: with exclude; allowed: none, for a link's edges are not in "
      "its subgraph");
}

uint64_t NumNegatives(NegativeMode mode, double amount, uint64_t links) {
  if (mode == NegativeMode::kNone) return 0;
  return static_cast<uint64_t>(std::ceil(static_cast<double>(links) * amount));
}

absl::Status CheckNegatives(const NegativeSampling& negatives,
                            uint64_t batch_size, LabelType label,
                            bool node_times, uint64_t lists) {
  if (negatives.given) RETURN_IF_ERROR(CheckGiven(negatives));
  RETURN_IF_ERROR(CheckDegreePower(negatives));
  if (negatives.mode == NegativeMode::kNone) {
    if (!negatives.strict) return absl::OkStatus();
    return Refuse(
        "neg_sampling.strict: without negatives; allowed: with mode binary, "
        "triplet or destination");
  }
  const bool searched = negatives.strict || (node_times && !negatives.given);
  if (!searched && negatives.on_exhausted != OnExhausted::kError) {
    return Refuse("neg_sampling.on_exhausted: accept ",
                  negatives.given ? "with neg_destination" : "without strict",
                  "; allowed: with strict, or negatives drawn with time node");
  }
  RETURN_IF_ERROR(CheckAmount(negatives));
  if (label != LabelType::kNone && negatives.mode == NegativeMode::kTriplet) {
    return Refuse(
        "edge_label: given with triplets, whose tensors tell positives from "
        "negatives; allowed: none, or mode binary or destination");
  }
  if (negatives.given) {
    RETURN_IF_ERROR(CheckGivenBytes(negatives.amount, batch_size));
  }
  // Each type's are rounded up.
  const uint64_t all =
      batch_size + (lists < 2 ? 0 : std::min(lists, batch_size) - 1) +
      NumNegatives(negatives.mode, negatives.amount, batch_size);
  if (all <= kMaxLinksAndNegatives) return absl::OkStatus();
  return Refuse("batch_size: ", batch_size, " links with ", negatives.amount,
                " negatives each; allowed: up to ", kMaxLinksAndNegatives,
                " links and negatives a batch");
}

absl::StatusOr<std::string> BuildLinkSpec(const SpecGraph& graph,
                                          const SpecOptions& common,
                                          const NegativeSampling& negatives,
                                          ExcludeMode exclude, bool enclosing) {
  SpecOptions options = common;
  if (!options.links.has_value()) options.links.emplace();
  options.links->edge_ids = NeedsEdgeIds(exclude);
  RETURN_IF_ERROR(CheckNegatives(
      negatives, options.batch_size, options.links->label,
      options.draws.time == TimeMode::kNode, options.links->lists.size()));
  options.links->negatives =
      negatives.given ? NumNegatives(negatives.mode, negatives.amount, 1) : 0;
  return BuildSpecOfKind(
      graph, options, [&](v1::SessionSpec* spec) -> absl::Status {
        v1::LinkSampling* link = spec->mutable_link();
        if (negatives.mode != NegativeMode::kNone) {
          link->set_negatives(static_cast<v1::NegativeMode>(negatives.mode));
          link->set_amount(negatives.amount);
          link->set_strict(negatives.strict);
          link->set_degree_power(DegreePower(negatives.degree_power));
          link->set_on_exhausted(
              static_cast<v1::OnExhausted>(negatives.on_exhausted));
        }
        link->set_exclude(static_cast<v1::ExcludedLinks>(exclude));
        link->set_enclosing(enclosing);
        RETURN_IF_ERROR(
            FillNeighbors(graph, options, link->mutable_neighbor(), spec));
        return CheckEnclosing(*spec);
      });
}

absl::Status CheckDegreesOf(absl::string_view edge_type, bool degrees,
                            int64_t num_edges) {
  return CheckWeighedDegrees("neg_sampling.degree_power", "0", edge_type,
                             degrees, num_edges);
}

LinkStarts CountLinkStarts(NegativeMode mode, uint64_t links,
                           uint64_t negatives) {
  return {links + (mode == NegativeMode::kBinary ? negatives : 0),
          links + negatives};
}

uint64_t LinkTensorBytesBound(const LinkStarts& starts, uint64_t links,
                              uint64_t type_name) {
  // Of a link or negative: its numbers, its label, its time.
  constexpr uint64_t kBytes = 2 * 4 + 8 + 8;
  constexpr uint64_t kTensors = 7, kPerTensor = 256;
  return (starts.destinations + links) * kBytes +
         kTensors * (kPerTensor + 2 * type_name);
}

}  // namespace tributary
