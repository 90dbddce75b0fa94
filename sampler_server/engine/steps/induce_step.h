// The last step of a batch whose subgraph is induced: adds all edges between
// the batch's nodes.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/ids/node_set.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/engine/steps/induce_share.h"
#include "sampler_server/engine/steps/induced_edge_table.h"
#include "sampler_server/engine/steps/induced_nodes.h"

namespace tributary {

// For one planned edge type after the other, looks at the in-edges of all nodes
// of its destination type in two passes: the first counts those that come from
// the batch, the second, if they fit into memory, takes them. So memory is
// exact, and a batch that is too large is counted to its end. Partitions of
// this server are read by LocalInduce, the others by RemoteInduce's questions;
// both share the plan's limit of in-edges to look at. Errors:
// INVALID_ARGUMENT (the limit, or too many nodes), UNIMPLEMENTED (the batch
// excludes edges), those of the reads and of RemotePartitions. All methods on
// the task's strand.
class InduceStep : public std::enable_shared_from_this<InduceStep> {
 public:
  using Outcome = SamplingOutcome;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Outcome>)>;

  InduceStep(StepContext context, const StepLimits& limits);

  // Sets the edges of the state, which must have none. `done` runs once, unless
  // the task ends first; perhaps inside the call.
  void Start(Done done);

 private:
  const PlannedEdgeType& type() const {
    return context_.plan->edge_types[type_];
  }
  // Returns the nodes at the ends of the current edge type.
  InducedNodes Nodes() const;
  uint64_t BytesHeld() const;
  uint64_t ScansLeft() const;

  void BeginType();
  void BeginPass();
  void ReadSome(size_t share);
  absl::Status ReadPiece(InduceShare* share);
  void AskNext(size_t share);
  absl::Status Check(absl::Span<const uint8_t> answer,
                     const InduceShare& share) const;
  absl::Status Accept(absl::Span<const uint8_t> answer, InduceShare* share);
  absl::Status AddScanned(absl::StatusOr<uint64_t> edges);
  void EndShare();
  void OnCounted();
  void OnTaken();
  void EndType();
  void DropType();
  void Finish(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const uint64_t working_bytes_;
  Done done_;
  size_t type_ = 0;          // index in the plan
  uint64_t scanned_ = 0;     // in-edges looked at, of all types
  bool count_only_ = false;  // the batch is too large already

  // State of the current edge type; see DropType.
  std::optional<NodeSet> sources_;
  std::optional<InducedEdgeTable> table_;
  std::vector<InduceShare> shares_;
  bool taking_ = false;    // in the second pass
  size_t unfinished_ = 0;  // shares that this pass has not ended for
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_
