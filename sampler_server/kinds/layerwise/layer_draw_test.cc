#include "sampler_server/kinds/layerwise/layer_draw.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

std::vector<size_t> Drawn(LayerDraw& draw) {
  while (!draw.Draw(1)) {
  }
  std::vector<size_t> drawn;
  for (size_t c = 0; c < draw.size(); ++c) {
    if (draw.drawn(c)) drawn.push_back(c);
  }
  return drawn;
}

// The weights of the page's vector, and its key: what a node of local number 0
// draws there.
TEST(LayerDraw, DrawsBySuccessiveSampling) {
  const PhiloxKey key{0xa9034aaf, 0x0c819c21};
  LayerDraw draw({5, 1, 7, 3}, key, 2);
  const PhiloxBlock words = Philox4x32(key, {{0, 0, 0, 0}});
  const auto below = [&](int word, uint64_t n) {
    const uint64_t bits = words.word[word] | uint64_t{words.word[word + 1]}
                                                 << 32;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * n) >>
                                 64);
  };
  // Unit by unit: which candidate it belongs to.
  std::vector<size_t> units = {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3};
  const size_t first = units[below(0, 16)];
  std::erase(units, first);
  const size_t second = units[below(2, units.size())];
  EXPECT_EQ(Drawn(draw), (std::vector<size_t>{std::min(first, second),
                                              std::max(first, second)}));
}

TEST(LayerDraw, TakesAllOfFew) {
  LayerDraw draw({5, 1}, {1, 2}, 2);
  EXPECT_TRUE(draw.takes_all());
  EXPECT_EQ(Drawn(draw), (std::vector<size_t>{0, 1}));
  LayerDraw none({}, {1, 2}, 2);
  EXPECT_TRUE(Drawn(none).empty());
}

TEST(LayerDraw, KeepsWeights) {
  const LayerDraw draw({5, 1, 7}, {1, 2}, 2);
  EXPECT_EQ(draw.weight(0), 5u);
  EXPECT_EQ(draw.weight(1), 1u);
  EXPECT_EQ(draw.weight(2), 7u);
}

TEST(LayerDraw, AllButOneOfMany) {
  const std::vector<uint64_t> weights(5000, uint64_t{1} << 40);
  LayerDraw draw(weights, {3, 4}, 4999);
  EXPECT_EQ(Drawn(draw).size(), 4999u);
}

TEST(SquaredShare, IsAPartOfAScaleThatALayerShares) {
  EXPECT_EQ(SquaredShare(1, 1), uint64_t{1} << 62);
  EXPECT_EQ(SquaredShare(2, 1), uint64_t{1} << 60);
  EXPECT_EQ(SquaredShare(1, 2), uint64_t{1} << 61);
  EXPECT_EQ(SquaredShare(1, 3), uint64_t{1} << 60);
  EXPECT_EQ(SquaredShare(3, 1024), (uint64_t{1} << 52) / 9);
  EXPECT_EQ(SquaredShare((uint64_t{1} << 31) - 1, 1), 1u);
  EXPECT_EQ(SquaredShare(uint64_t{1} << 40, 1), 1u);
}

TEST(EdgeWeights, AreSharesOfTheWhole) {
  const std::vector<double> g = {1, 0.5, 0.25};
  float weight[3];
  EdgeWeights(g, weight);
  EXPECT_EQ(weight[0], static_cast<float>(1 / 1.75));
  EXPECT_EQ(weight[1], static_cast<float>(0.5 / 1.75));
  EXPECT_EQ(weight[2], static_cast<float>(0.25 / 1.75));
}

}  // namespace
}  // namespace tributary
