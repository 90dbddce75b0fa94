#include "sampler_server/kinds/layerwise/layer_draw.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tributary {
namespace {

uint64_t Below(uint64_t word, uint64_t n) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >>
                               64);
}

}  // namespace

uint64_t LayerWord(PhiloxKey key, uint32_t i) {
  const PhiloxBlock block = Philox4x32(key, {{i / 2, 0, 0, 0}});
  const int at = i % 2 == 0 ? 0 : 2;
  return block.word[at] | uint64_t{block.word[at + 1]} << 32;
}

uint64_t SquaredShare(uint64_t degree, uint64_t layer_nodes) {
  int bits = 0;
  while (bits < 62 && uint64_t{1} << bits < layer_nodes) ++bits;
  const uint64_t whole = uint64_t{1} << (62 - bits);
  if (degree >= uint64_t{1} << 31) return 1;
  return std::max<uint64_t>(1, whole / (degree * degree));
}

LayerDraw::LayerDraw(std::vector<uint64_t> weights, PhiloxKey key, uint32_t k)
    : key_(key),
      k_(k),
      takes_all_(k >= weights.size()),
      sum_(std::move(weights)) {
  std::partial_sum(sum_.begin(), sum_.end(), sum_.begin());
  if (takes_all_) return;
  drawn_.assign((sum_.size() + 63) / 64, 0);
  left_ = sum_.back();
  mass_.Clear();
}

bool LayerDraw::Draw(uint32_t draws) {
  if (takes_all_) return true;
  for (; draws > 0 && next_ < k_; --draws, ++next_) {
    const uint64_t r = mass_.StepOver(Below(LayerWord(key_, next_), left_));
    const size_t at =
        std::upper_bound(sum_.begin(), sum_.end(), r) - sum_.begin();
    const uint64_t weight_of = weight(at);
    mass_.Insert({sum_[at] - weight_of, weight_of});
    left_ -= weight_of;
    drawn_[at / 64] |= uint64_t{1} << at % 64;
  }
  return next_ == k_;
}

uint64_t LayerDraw::BytesFor(uint64_t candidates, uint64_t k) {
  const uint64_t sums = candidates * sizeof(uint64_t);
  if (k >= candidates) return sums;
  // A bit each; intervals, whose blocks double while they grow.
  return sums + candidates / 8 + 8 + 3 * k * sizeof(DrawnInterval);
}

void EdgeWeights(absl::Span<const double> g, float* out) {
  double sum = 0;
  for (const double of : g) sum += of;
  for (const double of : g) *out++ = static_cast<float>(of / sum);
}

}  // namespace tributary
