// Draws the nodes of one layer out of the neighbours of another.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"
#include "sampler_server/engine/draw/drawn_mass.h"

namespace tributary {

// What a node of `degree` gives each of its neighbours, in a layer of so many
// nodes: the square of an entry of the row-normalised adjacency, as an integer
// whose scale keeps a layer's sum below 2^63, and at least 1.
uint64_t SquaredShare(uint64_t degree, uint64_t layer_nodes);

// Draw i's 64 bits; the layer's nodes draw together, so that there is one
// stream of words.
uint64_t LayerWord(PhiloxKey key, uint32_t i);

// Candidates 0, 1, ..., each with an integer weight; k of them, by successive
// sampling: each draw in proportion to the weights not drawn yet. Not
// thread-safe.
class LayerDraw {
 public:
  // Weights of all candidates, each at least 1, and their sum below 2^64.
  LayerDraw(std::vector<uint64_t> weights, PhiloxKey key, uint32_t k);

  // At most `draws` more; true when all k are drawn.
  bool Draw(uint32_t draws);
  bool takes_all() const { return takes_all_; }
  bool drawn(size_t candidate) const {
    return takes_all_ || (drawn_[candidate / 64] >> candidate % 64 & 1) != 0;
  }
  uint64_t weight(size_t candidate) const {
    return sum_[candidate] - (candidate == 0 ? 0 : sum_[candidate - 1]);
  }
  size_t size() const { return sum_.size(); }
  // What one of so many candidates and draws may hold.
  static uint64_t BytesFor(uint64_t candidates, uint64_t k);

 private:
  const PhiloxKey key_;
  const uint32_t k_;
  const bool takes_all_;
  std::vector<uint64_t> sum_;    // of the weights up to and with each
  std::vector<uint64_t> drawn_;  // a bit each
  DrawnMass mass_;
  uint64_t left_ = 0;
  uint32_t next_ = 0;
};

// The weights of the edges of one node that were kept: g of each one's source,
// scaled so that all together are 1 (docs/sampling.md).
void EdgeWeights(absl::Span<const double> g, float* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYER_DRAW_H_
