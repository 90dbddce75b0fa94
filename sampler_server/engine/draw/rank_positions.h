// Translates ranks in a row's order by time to positions, in ascending order.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"

namespace tributary {

// The order by time of one row: position[begin + rank] < degree. If a damaged
// file holds other values, the methods return false, and the positions that
// they gave are still positions of the row. Not thread-safe.
class RankPositions {
 public:
  using See = absl::FunctionRef<void(absl::Span<const uint64_t> positions)>;

  RankPositions(const IdArray& position, uint64_t begin, uint64_t degree)
      : position_(position), begin_(begin), degree_(degree) {}

  // Writes the positions of `ranks` into `positions`, ascending.
  bool Sorted(absl::Span<const uint64_t> ranks,
              std::vector<uint64_t>& positions) const;

  // Passes `see` the positions of ranks [first, end), ascending, without the
  // first `skip`, `take` in all. Uses at most 1 MiB of scratch memory; a row of
  // more than 2^23 edges is scanned once per 2^23 edges. Returns false early
  // when `stop` says so.
  bool ForEachOfRange(uint64_t first, uint64_t end, uint64_t skip,
                      uint64_t take, std::vector<uint64_t>& scratch, See see,
                      StopCheck* stop = nullptr) const;

 private:
  bool ForEachByBits(uint64_t first, uint64_t end, uint64_t skip, uint64_t take,
                     std::vector<uint64_t>& bits, See see,
                     StopCheck* stop) const;

  const IdArray& position_;
  const uint64_t begin_;
  const uint64_t degree_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_
