// The amounts of data that `tributary bench channel` transfers.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_SIZES_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_SIZES_H_

#include <cstddef>

#include "benchmarks/lib/measure/batch_asker.h"

namespace tributary {

// Memory of each end, used in order; larger than most caches.
inline constexpr size_t kChannelMemory = size_t{64} << 20;

// The batches that each channel transfers in a round.
inline constexpr BatchesAsked kHandOvers{
    .batches = 500, .bytes = size_t{64} << 10, .ahead = 1};
inline constexpr BatchesAsked kTransfers{
    .batches = 512, .bytes = size_t{1} << 20, .ahead = 4};
inline constexpr size_t kTransferBytes = kTransfers.batches * kTransfers.bytes;

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_SIZES_H_
