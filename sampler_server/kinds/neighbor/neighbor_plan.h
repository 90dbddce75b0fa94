// Plans neighbour sampling: edge types with their fanouts by hop.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Does what SamplingKind::Plan requires, for every kind whose specification has
// NeighborsOf(spec).
absl::Status PlanNeighbors(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_PLAN_H_
