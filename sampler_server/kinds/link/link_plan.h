// The plan of a session whose inputs are links.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "common/session/kinds/link_spec.h"
#include "common/session/link_lists.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/kinds/shared/degree_table.h"

namespace tributary {

// A supervision type: an edge type of input links.
struct SupervisionType {
  int edge_type = 0, src_type = 0, dst_type = 0;  // indices in the schema
  std::string name;                               // "src,rel,dst"
  // Whether drawn sources and destinations must exist at their link's time.
  bool source_in_time = false, destination_in_time = false;
  // For ends that are drawn by degree; else null. Shared by all batches; the
  // first ones sum the tables up.
  std::shared_ptr<DegreeTable> sources, destinations;
  // The edge type whose edges are the links' reverses and are excluded with
  // them; with REVERSE_ID it is edge_type. -1: none.
  int reverse_type = -1;
  // Suffixes of tensor names. Those of the ends are the node types', unless
  // there are several supervision types, which may share node types.
  std::string link_suffix, src_suffix, dst_suffix;
};

// Immutable once filled, except for the degree tables.
class LinkPlan final : public KindPlan {
 public:
  // Does what SamplingKind::Plan requires.
  static absl::Status Fill(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan);
  // Returns the links' part of a plan that Fill has filled.
  static const LinkPlan& Of(const SamplingPlan& plan) {
    return static_cast<const LinkPlan&>(*plan.part);
  }

  uint64_t num_negatives(uint64_t links) const {
    return NumNegatives(mode, amount, links);
  }
  // Whether negatives are searched for: candidates are tried until one is
  // valid. Else the first is taken.
  bool Searches(const SupervisionType& type) const {
    return strict || type.source_in_time || type.destination_in_time;
  }
  // Returns which of a type's `links` in the batch its negative `number`
  // belongs to.
  uint64_t LinkOf(uint64_t number, uint64_t links) const {
    return mode == NegativeMode::kBinary
               ? number % links
               : number / static_cast<uint64_t>(amount);
  }

  // Members that hold for all edge types.
  NegativeMode mode = NegativeMode::kNone;
  double amount = 0;
  bool given = false;  // negatives come with the links
  bool strict = false;
  bool accept_exhausted = false;
  ExcludeMode exclude = ExcludeMode::kNone;
  bool enclosing = false;
  std::vector<SupervisionType> types;  // in canonical order
  LinkLists lists;                     // the types' places in the input list
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PLAN_H_
