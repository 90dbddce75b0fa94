// Draws by LABOR-0 (Balin and Catalyurek, "Layer-Neighbor Sampling", NeurIPS
// 2023): a neighbour has one variate for all nodes of a hop, so that they tend
// to draw the same neighbours. Exact to docs/sampling/neighbors.md.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/draw/draw_lanes.h"

namespace tributary {

// The positions of a row that may be drawn; without bits, all of them.
struct EligibleOfRow {
  absl::Span<const uint64_t> bits;  // one per position
  uint64_t count = 0;               // set bits
};

// Draws for one node after another. Keeps its scratch memory, about 32 bytes
// for each edge of the largest fanout. Not thread-safe.
class LaborDrawer {
 public:
  // Returns the positions of the k smallest variates among the row's
  // neighbours, whose original ids are ids[begin, begin + degree); ties go to
  // the lower position. Ascending; valid until the next call. Requires 0 < k <
  // degree, or more than k set bits. When `stop` says so, returns any k.
  absl::Span<const uint64_t> Draw(PhiloxKey key, const IdArray& ids,
                                  uint64_t begin, uint64_t degree, uint32_t k,
                                  const EligibleOfRow& eligible = {},
                                  StopCheck* stop = nullptr);

 private:
  struct Row {
    PhiloxKey key;
    const IdArray& ids;
    uint64_t begin;
    uint64_t degree;
    uint32_t k;
    absl::Span<const uint64_t> eligible;
    StopCheck* stop;

    uint64_t Variate(uint64_t position) const;
  };

  void Reserve(size_t room);
  void Collect(const Row& row, uint32_t limit);
  size_t FindInChunk(const Row& row, uint64_t from, size_t n, uint32_t limit);
  void KeepSmallest(const Row& row);
  bool KeepPicked(const Row& row);
  void KeepSorted(const Row& row);

  const FindSmallFunction find_small_ = DrawLanesPaths().back().find_small;
  const PickSmallFunction pick_small_ = DrawLanesPaths().back().pick_small;
  // The candidates, by position: the high word of the variate, and the
  // position. The first `count_` elements are in use.
  std::vector<uint32_t> words_;
  std::vector<uint64_t> positions_;
  std::vector<uint32_t> places_;  // within a chunk
  size_t count_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_
