// Runs all hops of a batch, for kinds that sample neighbours.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_HOPS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_HOPS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/engine/steps/hop_step.h"

namespace tributary {

// The first frontier is all nodes that have numbers at the start. Runs a
// HopStep for each hop of the plan, in turns of the strand, and then adds
// induced or mirrored edges if the plan's subgraph has them. On the task's
// strand.
class NeighborHops : public std::enable_shared_from_this<NeighborHops> {
 public:
  explicit NeighborHops(StepContext context);

  // As BatchProgram::Start. Requires a plan that PlanNeighbors has filled and,
  // in a session with times, the state's tree_time.
  void Start(BatchProgram::Done done);

 private:
  void OpenFirstHop();
  void BeginHop();
  void OnHopDone(absl::StatusOr<HopStep::Outcome> outcome);
  void CloseHop();
  bool induced() const;
  void EndHops();
  void End(absl::StatusOr<BatchProgram::Outcome> outcome);

  StepContext context_;
  BatchProgram::Done done_;
  int hop_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_HOPS_H_
