// The part of a plan that neighbour sampling fills: fanouts by type and hop.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// As SamplingKind::Plan, for every kind of which NeighborsOf(spec) is a part.
absl::Status PlanNeighbors(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_
