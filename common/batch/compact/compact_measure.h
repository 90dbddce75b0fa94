// Measures what compact edges save of a batch that is there whole.
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_MEASURE_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_MEASURE_H_

#include <cstdint>

#include "common/batch/batch_view.h"

namespace tributary {

// Returns the bytes that compact edges would do without in `batch`, whose edges
// are whole: of an edge_index with num_sampled_edges as a server does that
// encodes them; of one without, of which the batch does not tell the hops, as
// if no neighbour was fresh. The time is linear in the edges. `batch` is
// trusted: it is one that was made here.
uint64_t CompactSavingOf(const BatchView& batch);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_MEASURE_H_
