// One step of many random walks within one partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/random/philox.h"
#include "partition/format/graph.h"

namespace tributary {

// Where there is no node: a dead end, or a walk that has ended.
inline constexpr uint64_t kNoNode = UINT64_MAX;

// The words of one try of one step of one walk: 0 and 1 for the position, 2 for
// the restart (of try 0), 3 for whether the node drawn is taken.
inline PhiloxBlock WalkWords(PhiloxKey key, uint32_t step, uint32_t walk,
                             uint32_t tried = 0) {
  return Philox4x32(key, {{step, walk, tried, 0}});
}

struct WalkQuery {
  PhiloxKey key{};
  uint32_t step = 0;
  uint32_t first_try = 0;
  uint32_t tries = 1;
  absl::Span<const uint64_t> rows;   // within the partition
  absl::Span<const uint32_t> walks;  // as many: their numbers in the batch
};

// neighbors[i * tries + k] becomes the internal id that walk i draws at its
// k-th try; kNoNode where its node has no neighbours. OUT_OF_RANGE for a row
// beyond the partition; DATA_LOSS for stored values out of range. Pure.
absl::Status DrawWalkSteps(const EdgePartition& edges, uint64_t num_src_nodes,
                           const WalkQuery& query, uint64_t* neighbors);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEP_H_
