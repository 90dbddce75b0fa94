// Nodes' own times, which any partition may hold.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_NODE_TIME_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_NODE_TIME_STEP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/step_context.h"

namespace tributary {

// Reads them from the partitions that are here, and asks the owners of the
// others. All methods on the task's strand.
class NodeTimeStep : public std::enable_shared_from_this<NodeTimeStep> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // Requires a type whose nodes have times.
  NodeTimeStep(StepContext context, int node_type)
      : context_(std::move(context)), node_type_(node_type) {}

  // times[i] becomes that of nodes[i], internal ids, of which one may come more
  // than once; `times` outlives the answer. `done` runs once, unless the task
  // ends first; perhaps inside the call.
  void Start(absl::Span<const uint64_t> nodes, absl::Span<int64_t> times,
             Done done);

 private:
  absl::Status Read(uint32_t partition, absl::Span<const uint64_t> rows,
                    absl::Span<const uint32_t> index);
  void Ask(uint32_t partition, std::vector<uint64_t> rows,
           std::vector<uint32_t> index);
  void Take(uint32_t partition, absl::Span<const uint32_t> index,
            absl::StatusOr<GatheredRows> reply);
  void Finish(absl::Status status);

  StepContext context_;
  const int node_type_;
  absl::Span<int64_t> times_;
  Done done_;
  int in_flight_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_NODE_TIME_STEP_H_
