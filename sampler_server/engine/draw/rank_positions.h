// Positions by rank in a row's order by time, and back in ascending order.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"

namespace tributary {

// One row: position[begin + rank] < degree. Where a damaged file holds others,
// the answer is false and what was given are positions of the row.
class RankPositions {
 public:
  using See = absl::FunctionRef<void(absl::Span<const uint64_t> positions)>;

  RankPositions(const IdArray& position, uint64_t begin, uint64_t degree)
      : position_(position), begin_(begin), degree_(degree) {}

  // Those of some ranks, ascending, into `positions`.
  bool Sorted(absl::Span<const uint64_t> ranks,
              std::vector<uint64_t>& positions) const;

  // Those of ranks [first, end), ascending, without the first `skip`, `take` in
  // all. However many they are, takes at most 1 MiB; rows of more than 2^23
  // edges are gone through once for each so many.
  bool ForEachOfRange(uint64_t first, uint64_t end, uint64_t skip,
                      uint64_t take, std::vector<uint64_t>& scratch,
                      See see) const;

 private:
  bool ForEachByBits(uint64_t first, uint64_t end, uint64_t skip, uint64_t take,
                     std::vector<uint64_t>& bits, See see) const;

  const IdArray& position_;
  const uint64_t begin_;
  const uint64_t degree_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RANK_POSITIONS_H_
