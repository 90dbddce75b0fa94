// LABOR-0 (Balin and Catalyurek, "Layer-Neighbor Sampling", NeurIPS 2023): a
// neighbour has one variate for all nodes of a hop, so that they draw the same
// neighbours; exact to docs/sampling.md.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/draw/draw_lanes.h"

namespace tributary {

// Which positions of a row may be drawn; all of them without bits.
struct EligibleOfRow {
  absl::Span<const uint64_t> bits;  // by position
  uint64_t count = 0;               // that are set
};

// Draws for one node after another. Keeps its scratch memory, about 32 bytes
// for each edge of the largest fanout. Not thread-safe.
class LaborDrawer {
 public:
  // The positions of the k smallest variates of the row's neighbours, whose
  // original ids are ids[begin, begin + degree); ties go to the lower position.
  // Ascending; valid until the next call. Requires 0 < k < degree, or more than
  // k bits that are set.
  absl::Span<const uint64_t> Draw(PhiloxKey key, const IdArray& ids,
                                  uint64_t begin, uint64_t degree, uint32_t k,
                                  const EligibleOfRow& eligible = {});

 private:
  struct Row {
    PhiloxKey key;
    const IdArray& ids;
    uint64_t begin;
    uint64_t degree;
    uint32_t k;
    absl::Span<const uint64_t> eligible;

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
  // What may be among the smallest, by position: its variate's high word and
  // its position. Room, of which the first `count_`.
  std::vector<uint32_t> words_;
  std::vector<uint64_t> positions_;
  std::vector<uint32_t> places_;  // in a chunk
  size_t count_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LABOR_DRAWER_H_
