// A session of links made ready to run.
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

// One supervision type: an edge type that links are of.
struct SupervisionType {
  int edge_type = 0, src_type = 0, dst_type = 0;  // indices in the schema
  std::string name;                               // "src,rel,dst"
  // Which drawn ends must be there at their link's time.
  bool source_in_time = false, destination_in_time = false;
  // Of the ends that are drawn by degree; else null. What the first batches sum
  // up all draw from.
  std::shared_ptr<DegreeTable> sources, destinations;
  // The edge type that holds the links' reverses, which are excluded with them:
  // of REVERSE_ID their own; -1: none.
  int reverse_type = -1;
  // Of tensors' names; those of ends are the node types', but where there are
  // several supervision types, which may share them.
  std::string link_suffix, src_suffix, dst_suffix;
};

class LinkPlan final : public KindPlan {
 public:
  // As SamplingKind::Plan.
  static absl::Status Fill(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan);
  static const LinkPlan& Of(const SamplingPlan& plan) {
    return static_cast<const LinkPlan&>(*plan.part);
  }

  uint64_t num_negatives(uint64_t links) const {
    return NumNegatives(mode, amount, links);
  }
  // Whether candidates are tried: else the first is taken.
  bool Searches(const SupervisionType& type) const {
    return strict || type.source_in_time || type.destination_in_time;
  }
  // Which of `links` of a type in the batch its negative `number` belongs to.
  uint64_t LinkOf(uint64_t number, uint64_t links) const {
    return mode == NegativeMode::kBinary
               ? number % links
               : number / static_cast<uint64_t>(amount);
  }

  // The same for all types.
  NegativeMode mode = NegativeMode::kNone;
  double amount = 0;
  bool given = false;  // they come with the links
  bool strict = false;
  bool accept_exhausted = false;
  ExcludeMode exclude = ExcludeMode::kNone;
  bool enclosing = false;
  std::vector<SupervisionType> types;  // in canonical order
  LinkLists lists;                     // of the types, in the list of inputs
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PLAN_H_
