#include "sampler_server/engine/ids/local_numbering.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tributary {
namespace {

using Ids = std::vector<uint64_t>;
using Numbers = std::vector<uint32_t>;

Numbers Number(LocalNumbering& numbering, const Ids& ids) {
  Numbers numbers(ids.size());
  numbering.Number(ids, numbers.data());
  return numbers;
}

TEST(LocalNumbering, FirstOccurrence) {
  LocalNumbering numbering(100);
  EXPECT_EQ(Number(numbering, {7, 3, 7, 99, 0}), (Numbers{0, 1, 0, 2, 3}));
  EXPECT_EQ(Number(numbering, {0, 5, 3}), (Numbers{3, 4, 1}));
  EXPECT_EQ(numbering.ids(), (Ids{7, 3, 99, 0, 5}));
  EXPECT_TRUE(Number(numbering, {}).empty());
}

// Ids of both widths, through many growths and a reset, against a map.
TEST(LocalNumbering, AgreesWithAMap) {
  for (const uint64_t num_nodes : {uint64_t{50'000}, uint64_t{1} << 40}) {
    LocalNumbering numbering(num_nodes);
    std::mt19937_64 random(3);
    for (int batch = 0; batch < 3; ++batch) {
      numbering.Reset();
      std::map<uint64_t, uint32_t> want;
      for (const size_t n : {1, 10, 1000, 30'000, 3}) {
        Ids ids(n);
        for (uint64_t& id : ids) id = random() % num_nodes;
        const Numbers numbers = Number(numbering, ids);
        for (size_t i = 0; i < n; ++i) {
          const auto next = static_cast<uint32_t>(want.size());
          ASSERT_EQ(numbers[i], want.emplace(ids[i], next).first->second);
        }
      }
      ASSERT_EQ(numbering.size(), want.size());
      for (size_t i = 0; i < numbering.size(); ++i) {
        ASSERT_EQ(want[numbering.ids()[i]], i);
      }
    }
  }
}

// With no byte more than the header promises to suffice, and what comes of
// less.
TEST(LocalNumbering, TightMemoryGivesTheSameNumbers) {
  for (const uint64_t num_nodes : {uint64_t{200'000}, uint64_t{1} << 40}) {
    LocalNumbering roomy(num_nodes), tight(num_nodes), less(num_nodes);
    std::mt19937_64 random(7);
    bool was_enough = true;
    for (const size_t n : {2000, 100'000, 100'000}) {
      Ids ids(n);
      for (uint64_t& id : ids) id = random() % std::min(num_nodes, n * 2);
      const size_t before = roomy.size();
      const Numbers want = Number(roomy, ids);
      const size_t most =
          12 * roomy.size() + 8 * (before + n) + 8 * before + (32 << 10);
      Numbers got(n);
      ASSERT_TRUE(tight.Number(ids, got.data(), most));
      EXPECT_EQ(got, want);
      EXPECT_LE(tight.bytes(), most);
      was_enough = was_enough && less.Number(ids, got.data(), most / 3);
      EXPECT_LE(less.bytes(), most / 3);
    }
    EXPECT_EQ(tight.ids(), roomy.ids());
    EXPECT_FALSE(was_enough);
  }
}

TEST(LocalNumbering, CountsNewIdsOnce) {
  LocalNumbering numbering(100);
  Number(numbering, {7, 3, 99});
  Ids ids = {3, 5, 0, 5, 99, 98, 0, 3};
  EXPECT_EQ(numbering.CountNew(absl::MakeSpan(ids)), 3u);  // 5, 0, 98
  EXPECT_EQ(numbering.CountNew({}), 0u);
}

// A type of few nodes needs a small table however many edges lead to them.
TEST(LocalNumbering, MemoryIsBoundedByTheType) {
  LocalNumbering numbering(1000);
  Ids ids(1 << 20);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = i % 1000;
  Number(numbering, ids);
  EXPECT_EQ(numbering.size(), 1000u);
  EXPECT_LT(numbering.bytes(), 64u << 10);
  const size_t with_table = numbering.bytes();
  numbering.DropTable();
  EXPECT_LT(numbering.bytes(), with_table);
  EXPECT_EQ(numbering.ids()[999], 999u);
}

}  // namespace
}  // namespace tributary
