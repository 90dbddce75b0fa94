// All edges between the nodes of a batch: its last step, where the subgraph is
// induced.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "common/io/buffer.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/ids/node_set.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/engine/questions/induced_edges.h"

namespace tributary {

namespace v1 {
class InduceQuestion;
}

// For one planned edge type after the other, looks at the in-edges of all nodes
// of its destination type: once to count those that come from the batch, and,
// when what they take is known and there, once more to take them. So memory is
// exact, and a batch that is too large is counted to its end. Owners of other
// partitions do the same for theirs, asked by neighbour sampling's Answer,
// which is AnswerInduce. In-edges looked at are limited by the plan, whoever
// looks. All methods on the task's strand.
class InduceStep : public std::enable_shared_from_this<InduceStep> {
 public:
  using Outcome = BatchProgram::Outcome;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Outcome>)>;

  InduceStep(StepContext context, const StepLimits& limits);

  // The state's edges, which must be none, become those. `done` runs once,
  // unless the task ends first; perhaps inside the call.
  void Start(Done done);

 private:
  // The nodes that one partition holds.
  struct Group {
    uint32_t partition = 0;
    bool here = false;
    std::vector<uint32_t> nodes;  // local numbers
    std::vector<size_t> pauses;   // nodes that each answer there counted up to
    size_t next = 0;              // of nodes: without an answer
    uint64_t skip = 0;            // of its edges: they are taken
    uint32_t at_node = 0;         // and the edges before its own
    uint64_t at_edge = 0;
  };

  const PlannedEdgeType& type() const {
    return context_.plan->edge_types[type_];
  }
  absl::Span<const uint64_t> IdsOf(int node_type) const;
  uint64_t NumNodes(int node_type) const;
  uint64_t BytesHeld() const;

  void BeginType();
  absl::Status CheckSources() const;
  void MakeGroups();
  void BeginPass();
  void NextSlice(size_t group);
  absl::Status CountSlice(Group& group);
  absl::Status TakeSlice(Group& group);
  InducedRow RowOf(const Group& group, uint32_t node) const;
  absl::Status AddScanned(uint64_t edges);
  void AskNext(size_t group);
  KindQuestion MakeQuestion(v1::InduceQuestion* asked) const;
  KindQuestion MakeCount(const Group& group) const;
  KindQuestion MakeTake(Group& group, uint64_t* edges) const;
  absl::Status AcceptCounts(Group& group, const AlignedBuffer& answer);
  absl::Status AcceptEdges(Group& group, uint64_t edges,
                           const AlignedBuffer& answer);
  void SeekTo(Group& group, uint32_t node) const;
  void EndPassWhenAllIsThere();
  void OnCounted();
  void OnTaken();
  void CountOnly();
  void EndType();
  void Finish(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const uint64_t working_bytes_;
  Done done_;
  size_t type_ = 0;  // of the plan
  uint64_t scanned_ = 0;
  bool too_large_ = false;  // counts only, from here on

  // Of this type.
  std::optional<NodeSet> sources_;
  std::vector<Group> groups_;
  bool taking_ = false;           // the second pass
  size_t busy_ = 0;               // groups that are not through with this pass
  std::vector<uint32_t> counts_;  // per node of the destination type
  SampledHop hop_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_STEP_H_
