// Original ids of nodes that any partition may hold.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_ORIGINAL_IDS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_ORIGINAL_IDS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/step_context.h"

namespace tributary {

// Reads them from the partitions that are here, and asks the owners of the
// others. On the task's strand; keeps itself alive until the answer.
class OriginalIds : public std::enable_shared_from_this<OriginalIds> {
 public:
  // Once, unless the task ends first; perhaps inside the call.
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // out[i] becomes the original id of nodes[i], an internal one of `node_type`.
  // Spans outlive the answer. DATA_LOSS for what cannot be.
  static void Ask(const StepContext& context, int node_type,
                  absl::Span<const uint64_t> nodes, absl::Span<int64_t> out,
                  Done done);

  OriginalIds(const StepContext& context, int node_type,
              absl::Span<int64_t> out, Done done)
      : context_(context),
        node_type_(node_type),
        out_(out),
        done_(std::move(done)) {}

 private:
  using Places = std::vector<uint32_t>;

  void Start(absl::Span<const uint64_t> nodes);
  void AskThere(uint32_t partition, std::vector<uint64_t> rows, Places places);
  absl::Status Take(uint32_t partition, const Places& places,
                    absl::Span<const int64_t> ids);
  void Finish(absl::Status status);

  StepContext context_;
  const int node_type_;
  const absl::Span<int64_t> out_;
  Done done_;
  int in_flight_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_ORIGINAL_IDS_H_
