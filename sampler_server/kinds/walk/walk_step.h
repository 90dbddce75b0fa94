// One step of many random walks within one partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/random/philox.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"

namespace tributary {

// Stands for no node: a dead end, or a walk that has ended.
inline constexpr uint64_t kNoNode = UINT64_MAX;

// Returns the random words of one try of one step of one walk: 0 and 1 draw the
// position, 2 (of try 0) the restart, 3 whether the drawn node is accepted.
inline PhiloxBlock WalkWords(PhiloxKey key, uint32_t step, uint32_t walk,
                             uint32_t tried = 0) {
  return Philox4x32(key, {{step, walk, tried, 0}});
}

// Walks that draw from rows of one partition.
struct WalkQuery {
  PhiloxKey key{};
  uint32_t step = 0;
  uint32_t first_try = 0;
  uint32_t tries = 1;
  absl::Span<const uint64_t> rows;   // within the partition
  absl::Span<const uint32_t> walks;  // of each row: the walk's number
  StopCheck* stop = nullptr;
};

// Sets neighbors[i * tries + k] to the internal id that walks[i] draws at try
// first_try + k; kNoNode if its node has no neighbours. Errors: OUT_OF_RANGE (a
// row beyond the partition), DATA_LOSS (stored values out of range), CANCELLED
// and DEADLINE_EXCEEDED of query.stop. Thread-safe.
absl::Status DrawWalkSteps(const EdgePartition& edges, uint64_t num_src_nodes,
                           const WalkQuery& query, uint64_t* neighbors);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_
