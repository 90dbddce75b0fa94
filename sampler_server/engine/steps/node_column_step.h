// Reads a column of nodes, in whichever partition they are.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_NODE_COLUMN_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_NODE_COLUMN_STEP_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"

namespace tributary {

enum class NodeColumn { kOriginalId, kTime };

// Reads the partitions of this server and asks the owners of the others. One
// Start per object. All methods on the task's strand.
class NodeColumnStep : public std::enable_shared_from_this<NodeColumnStep> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // kTime requires a type whose nodes have times.
  NodeColumnStep(StepContext context, int node_type, NodeColumn column)
      : context_(std::move(context)), node_type_(node_type), column_(column) {}

  // Sets values[i] to the column's value of nodes[i], an internal id; ids may
  // repeat. Both spans outlive the answer. `done` runs once, unless the task
  // ends first; perhaps inside the call. Errors: DATA_LOSS (a value that is not
  // possible), those of RemotePartitions.
  void Start(absl::Span<const uint64_t> nodes, absl::Span<int64_t> values,
             Done done);

 private:
  absl::Status Read(uint32_t partition, absl::Span<const uint64_t> rows,
                    absl::Span<const uint32_t> index);
  void Ask(uint32_t partition, std::vector<uint64_t> rows,
           std::vector<uint32_t> index);
  absl::Status Take(uint32_t partition, absl::Span<const uint32_t> index,
                    const GatheredRows& reply);
  absl::Status Put(uint32_t partition, uint32_t index, int64_t value);
  void Finish(absl::Status status);

  StepContext context_;
  const int node_type_;
  const NodeColumn column_;
  absl::Span<int64_t> values_;
  Done done_;
  int in_flight_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_NODE_COLUMN_STEP_H_
