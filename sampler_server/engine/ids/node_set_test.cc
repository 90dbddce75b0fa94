#include "sampler_server/engine/ids/node_set.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace tributary {
namespace {

TEST(NodeSet, FindsWhatIsThereAndNothingElse) {
  for (const size_t size : {0, 1, 2, 3, 21, 1000, 50'000}) {
    std::mt19937_64 random(size);
    // Neighbouring ids, ids of trees, and any.
    const uint64_t modulus = size % 2 == 0 ? 4 * size + 1 : UINT64_MAX;
    std::unordered_map<uint64_t, uint32_t> number;
    std::vector<uint64_t> ids;
    while (ids.size() < size) {
      const uint64_t id = random() % modulus;
      if (number.emplace(id, ids.size()).second) ids.push_back(id);
    }
    const NodeSet set(ids);
    for (const auto& [id, expected] : number) {
      ASSERT_TRUE(set.MayHold(id));
      ASSERT_EQ(set.Find(id), expected);
    }
    int passed = 0;
    for (int i = 0; i < 10'000; ++i) {
      const uint64_t id = random() % modulus;
      if (number.count(id) > 0) continue;
      ASSERT_EQ(set.Find(id), NodeSet::kNone);
      passed += set.MayHold(id) ? 1 : 0;
    }
    // At most one bit in eight is set.
    EXPECT_LT(passed, 1500) << size;
  }
}

TEST(NodeSet, OfEqualIdsTheFirstCounts) {
  const std::vector<uint64_t> ids = {7, 9, 7, 7, 9, 3};
  const NodeSet set(ids);
  EXPECT_EQ(set.Find(7), 0u);
  EXPECT_EQ(set.Find(9), 1u);
  EXPECT_EQ(set.Find(3), 5u);
  EXPECT_EQ(set.Find(8), NodeSet::kNone);
}

TEST(NodeSet, TakesTheBytesThatItSays) {
  // 8 bits and 6 bytes for each id at least, of powers of two.
  EXPECT_EQ(NodeSet::BytesFor(1), 64u + 2 * 4);
  EXPECT_EQ(NodeSet::BytesFor(1000), 1024u + 2048 * 4);
  EXPECT_EQ(NodeSet::BytesFor(1'000'000), (1u << 20) + (uint64_t{2} << 20) * 4);
}

}  // namespace
}  // namespace tributary
