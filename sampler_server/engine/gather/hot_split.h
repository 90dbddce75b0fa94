// Splits rows of another partition into those that the cache of hot rows has
// and those that its owner is asked for.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_HOT_SPLIT_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_HOT_SPLIT_H_

#include <cstdint>
#include <vector>

#include "partition/format/hot_cache.h"

namespace tributary {

// Rows and the place of each in the batch; `to` may be empty: 0, 1, 2, ...
struct PlacedRows {
  std::vector<uint64_t> rows;
  std::vector<uint32_t> to;
};

// Moves the rows that `cache` has out of `rows`, in order, and returns them as
// rows of the cache. `base` is the internal id of the partition's row 0. Keeps
// `rows` as it is if the cache has none of them. Takes at most 16 bytes for
// each row during the call.
PlacedRows TakeHotRows(const HotNodes& cache, uint64_t base, PlacedRows& rows);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_HOT_SPLIT_H_
