// Draws the nodes of one layer from the neighbours of another: LADIES.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"
#include "sampler_server/engine/draw/drawn_mass.h"

namespace tributary {

// Returns the weight that a node of `degree`, in a layer of `layer_nodes`, adds
// to each of its neighbours: the square of an entry of the row-normalised
// adjacency, as an integer whose scale keeps a layer's sum below 2^63. At least
// 1.
uint64_t SquaredShare(uint64_t degree, uint64_t layer_nodes);

// Returns the 64 random bits of draw i. The layer's nodes draw together: there
// is one stream of words.
uint64_t LayerWord(PhiloxKey key, uint32_t i);

// Draws k of the candidates 0, 1, ..., which have integer weights, by
// successive sampling: each draw is in proportion to the weights that are not
// drawn yet. Not thread-safe.
class LayerDraw {
 public:
  // `weights`: of all candidates, each at least 1; their sum is below 2^64.
  LayerDraw(std::vector<uint64_t> weights, PhiloxKey key, uint32_t k);

  // Makes at most `draws` more draws. Returns whether all k are drawn.
  bool Draw(uint32_t draws);
  bool takes_all() const { return takes_all_; }
  bool drawn(size_t candidate) const {
    return takes_all_ || (drawn_[candidate / 64] >> candidate % 64 & 1) != 0;
  }
  uint64_t weight(size_t candidate) const {
    return sum_[candidate] - (candidate == 0 ? 0 : sum_[candidate - 1]);
  }
  size_t size() const { return sum_.size(); }
  // Returns the most memory of a LayerDraw of so many candidates and draws.
  static uint64_t BytesFor(uint64_t candidates, uint64_t k);

 private:
  const PhiloxKey key_;
  const uint32_t k_;
  const bool takes_all_;
  std::vector<uint64_t> sum_;    // inclusive prefix sums of the weights
  std::vector<uint64_t> drawn_;  // a bit for each candidate
  DrawnMass mass_;
  uint64_t left_ = 0;
  uint32_t next_ = 0;
};

// Writes the weights of one node's kept edges: g of each edge's source, scaled
// so that their sum is 1 (docs/sampling.md).
void EdgeWeights(absl::Span<const double> g, float* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_
