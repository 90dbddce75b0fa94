// Encodes a batch's edges for the network (common/batch/compact).
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_COMPACT_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_COMPACT_EDGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// The most gaps that the tensors of an edge type make.
inline constexpr size_t kGapsOfEdgeType = 2;

// Finds how the edges of a planned type, which shares no other's tensors, are
// encoded; tensors that would not be smaller stay as they are. Incomplete when
// `stop` says so.
CompactEdges FindCompactEdges(const SamplingPlan& plan, const BatchState& state,
                              size_t planned, StopCheck* stop);

// Write the blocks of tensors that are encoded. `block` is what the room has of
// the tensor. They stop early if `stop` says so.
void WriteCompactEdgeIndex(const SamplingPlan& plan, const BatchState& state,
                           size_t planned, absl::Span<uint8_t> block,
                           StopCheck* stop);
void WriteCompactEdgeIds(const SamplingPlan& plan, const BatchState& state,
                         size_t planned, absl::Span<uint8_t> block,
                         StopCheck* stop);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_COMPACT_EDGES_H_
