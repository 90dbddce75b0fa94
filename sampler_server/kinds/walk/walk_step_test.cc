#include "sampler_server/kinds/walk/walk_step.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "common/random/hop_key.h"

namespace tributary {
namespace {

// 2^16 neighbours are the most that a word of 32 bits is drawn over.
TEST(WalkStep, WordsAreWideAbove65536Neighbours) {
  const PhiloxKey key = MakeOrderKey(3, 1);
  bool differ = false;
  for (const uint64_t degree : {65535u, 65536u, 65537u}) {
    std::vector<uint32_t> neighbors(degree);
    std::iota(neighbors.begin(), neighbors.end(), 0u);
    const std::vector<uint64_t> indptr = {0, degree};
    EdgePartition edges;
    edges.indptr = indptr;
    edges.indices = IdArray(absl::MakeConstSpan(neighbors));
    constexpr uint32_t kWalks = 40;
    const std::vector<uint64_t> rows(kWalks, 0);
    std::vector<uint32_t> walks(kWalks);
    std::iota(walks.begin(), walks.end(), 0u);
    std::vector<uint64_t> found(kWalks);
    const absl::Status status = DrawWalkSteps(
        edges, degree, {.key = key, .step = 1, .rows = rows, .walks = walks},
        found.data());
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t walk = 0; walk < kWalks; ++walk) {
      const PhiloxBlock words = WalkWords(key, 1, walk);
      const uint64_t narrow = uint64_t{words.word[0]} * degree >> 32;
      const auto wide = static_cast<uint64_t>(
          (words.word[0] | static_cast<unsigned __int128>(words.word[1])
                               << 32) *
              degree >>
          64);
      differ |= narrow != wide;
      EXPECT_EQ(found[walk], degree <= 65536 ? narrow : wide) << degree;
    }
  }
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace tributary
