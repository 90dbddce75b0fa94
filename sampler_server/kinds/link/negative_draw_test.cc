#include "sampler_server/kinds/link/negative_draw.h"

#include <gtest/gtest.h>

#include "common/random/hop_key.h"

namespace tributary {
namespace {

// 2^16 nodes are the most that a word of 32 bits is drawn over.
TEST(NegativeDraw, WordsAreWideAbove65536Nodes) {
  const PhiloxKey key = MakeOrderKey(3, 1);
  bool differ = false;
  for (const uint64_t nodes : {65535u, 65536u, 65537u}) {
    const NegativeDraw draw(key, {.num_nodes = nodes}, {.num_nodes = nodes});
    for (uint32_t negative = 0; negative < 20; ++negative) {
      const PhiloxBlock words = Philox4x32(key, {{2, negative, 0, 0}});
      const auto drawn = [&](int low) {
        const uint64_t narrow = uint64_t{words.word[low]} * nodes >> 32;
        const auto wide = static_cast<uint64_t>(
            (words.word[low] |
             static_cast<unsigned __int128>(words.word[low + 1]) << 32) *
                nodes >>
            64);
        differ |= narrow != wide;
        return static_cast<int64_t>(nodes <= 65536 ? narrow : wide);
      };
      const NegativeDraw::Ends ends = draw.Draw(2, negative);
      EXPECT_EQ(ends.source, drawn(0)) << nodes;
      EXPECT_EQ(ends.destination, drawn(2)) << nodes;
    }
  }
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace tributary
