#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "common/random/hop_key.h"
#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;

HopQuery Labor(const AskedNodes& asked, int32_t fanout) {
  HopQuery query = asked.Query(fanout, false);
  query.draw = DrawMode::kLabor;
  return query;
}

// Vectors of docs/sampling.md.
constexpr PhiloxKey kLaborKey{0xa969dbe7, 0x6261e6e8};

TEST(LaborHop, Vectors) {
  EXPECT_EQ(
      MakeHopKey({.random_seed = 11, .epoch = 2, .purpose = Purpose::kLabor}),
      kLaborKey);
  EXPECT_EQ(DefinedVariate(kLaborKey, 0), 0x35154adec049548du);
  EXPECT_EQ(DefinedVariate(kLaborKey, 5), 0xfd6ab3d5b2b68faau);
  EXPECT_EQ(DefinedVariate(kLaborKey, uint64_t{1} << 32), 0x7c6dc83a90bc9e9cu);
  HopRows rows({10});
  rows.SetNeighborIds({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const AskedNodes nodes(1);
  HopQuery query = Labor(nodes, 3);
  query.key = kLaborKey;
  EXPECT_EQ(*PositionsDrawn(rows, query), (Drawn{{0, 2, 3}}));
}

// Whoever asks, a neighbour's variate is the same, so nodes draw the same
// neighbours where they can: here the three smallest of ids 0 to 9 in order are
// the first that each node finds among its own.
TEST(LaborHop, NodesShareVariates) {
  HopRows rows({10, 9, 4, 2, 0});
  std::vector<uint64_t> ids;
  for (uint64_t v = 0; v < 10; ++v) ids.push_back(v);
  const Positions order = DefinedLaborDraw(kFirstKey, ids, 1);
  for (uint64_t v = 0; v < 10; ++v) {
    if (v != order[0]) ids.push_back(v);
  }
  for (uint64_t v : {2, 3, 5, 8, 1, 2}) ids.push_back(v);
  rows.SetNeighborIds(ids);
  const auto drawn = PositionsDrawn(rows, Labor(AskedNodes(5), 2));
  ASSERT_TRUE(drawn.ok());
  const auto id = [&](size_t row, size_t i) {
    return ids[rows.indptr[row] + drawn->at(row).at(i)];
  };
  const Positions two =
      DefinedLaborDraw(kFirstKey, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2);
  EXPECT_EQ((Positions{id(0, 0), id(0, 1)}), two);
  const uint64_t second = two[0] == order[0] ? two[1] : two[0];
  EXPECT_TRUE(id(1, 0) == second || id(1, 1) == second);
  EXPECT_EQ(drawn->at(3), (Positions{0, 1}));
  EXPECT_EQ(drawn->at(4), (Positions{}));
}

// Parallel edges share a variate; the lower edge ids come first.
TEST(LaborHop, ParallelEdgesTie) {
  HopRows rows({9});
  rows.SetNeighborIds({1, 1, 1, 2, 2, 2, 3, 3, 3});
  Positions ids = {1, 2, 3};
  std::sort(ids.begin(), ids.end(), [](uint64_t a, uint64_t b) {
    return DefinedVariate(kFirstKey, a) < DefinedVariate(kFirstKey, b);
  });
  const auto first = [](uint64_t id) { return 3 * (id - 1); };
  Positions four = {first(ids[0]), first(ids[0]) + 1, first(ids[0]) + 2,
                    first(ids[1])};
  std::sort(four.begin(), four.end());
  EXPECT_EQ(*PositionsDrawn(rows, Labor(AskedNodes(1), 4)), (Drawn{four}));
  HopRows same({1000});
  same.SetNeighborIds(std::vector<uint64_t>(1000, 7));
  EXPECT_EQ(*PositionsDrawn(same, Labor(AskedNodes(1), 3)), (Drawn{{0, 1, 2}}));
}

struct RandomRows {
  RandomRows(uint64_t seed, const std::vector<uint64_t>& degrees, bool wide,
             uint64_t nodes)
      : rows(degrees, wide), asked(degrees.size()) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> all;
    for (uint64_t d : degrees) {
      Positions& row = ids.emplace_back(d);
      for (uint64_t& id : row) {
        id = random() % nodes << (wide && random() % 2 == 0 ? 33 : 0);
      }
      std::sort(row.begin(), row.end());
      all.insert(all.end(), row.begin(), row.end());
    }
    rows.SetNeighborIds(all);
  }
  Drawn Defined(int32_t fanout) const {
    Drawn drawn;
    for (const Positions& row : ids) {
      drawn.push_back(DefinedLaborDraw(kFirstKey, row, fanout));
    }
    return drawn;
  }
  HopRows rows;
  AskedNodes asked;
  std::vector<Positions> ids;
};

std::vector<uint64_t> RandomDegrees(uint64_t seed, size_t n, uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> degrees;
  for (size_t i = 0; i < n; ++i) {
    degrees.push_back(random() % (i % 3 == 0 ? below : 12));
  }
  return degrees;
}

TEST(LaborHop, IsTheDefinitionOnThousandsOfRows) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const RandomRows random(seed, RandomDegrees(seed, 200, 1200), seed % 2 == 0,
                            seed % 4 < 2 ? 50 : 1'000'000);
    for (const int32_t fanout : {-1, 0, 1, 2, 5, 15, 33, 600}) {
      ASSERT_EQ(*PositionsDrawn(random.rows, Labor(random.asked, fanout)),
                random.Defined(fanout))
          << "seed " << seed << ", fanout " << fanout;
    }
  }
}

TEST(LaborHop, IsTheDefinitionOnHubs) {
  for (const uint64_t nodes : {3u, 100'000'000u}) {
    const RandomRows random(3, {70'000, 5, 90'000}, false, nodes);
    for (const int32_t fanout : {10, 65'000}) {
      ASSERT_EQ(*PositionsDrawn(random.rows, Labor(random.asked, fanout)),
                random.Defined(fanout))
          << fanout;
    }
  }
}

TEST(LaborHop, ContinuationsAddUp) {
  const RandomRows random(8, RandomDegrees(8, 60, 200), false, 1000);
  for (const int32_t fanout : {-1, 3, 40}) {
    for (const uint64_t piece : {1, 2, 7, 129, 5000}) {
      for (const bool exact : {false, true}) {
        HopQuery query = Labor(random.asked, fanout);
        query.exact_memory = exact;
        const auto drawn = PositionsInPieces(random.rows, query, piece);
        ASSERT_TRUE(drawn.ok()) << drawn.status();
        ASSERT_EQ(*drawn, random.Defined(fanout)) << fanout << " by " << piece;
      }
    }
  }
}

TEST(LaborHop, RefusesWhatItCannotDraw) {
  HopRows rows({3});
  absl::Status status = PositionsDrawn(rows, Labor(AskedNodes(1), 2)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the edge type has no neighbor_id");
  rows.SetNeighborIds({1, 2, 3});
  const AskedNodes nodes(1);
  HopQuery query = Labor(nodes, 2);
  EXPECT_TRUE(PositionsDrawn(rows, query).ok());
  query.replace = true;
  EXPECT_EQ(PositionsDrawn(rows, query).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Of two ids whose variates differ in their low words alone, the one at the
// later position has the smaller: searched for, among 80 billion pairs.
TEST(LaborHop, LowWordsSettleEqualHighWords) {
  std::vector<std::pair<uint64_t, uint64_t>> by_word;  // high word, id
  for (uint64_t id = 0; id < 400'000; ++id) {
    by_word.emplace_back(DefinedVariate(kFirstKey, id) >> 32, id);
  }
  std::sort(by_word.begin(), by_word.end());
  int found = 0;
  for (size_t i = 1; i < by_word.size(); ++i) {
    const auto [word, id] = by_word[i];
    const auto [word_before, id_before] = by_word[i - 1];
    if (word != word_before) continue;
    const bool later =
        DefinedVariate(kFirstKey, id) < DefinedVariate(kFirstKey, id_before);
    HopRows rows({2});
    rows.SetNeighborIds({id_before, id});
    EXPECT_EQ(*PositionsDrawn(rows, Labor(AskedNodes(1), 1)),
              (Drawn{{later ? uint64_t{1} : uint64_t{0}}}));
    found += later ? 1 : 0;
  }
  EXPECT_GT(found, 0);
}

// Every instruction set, at every length of a list.
TEST(FindSmall, IsTheDefinitionOnEveryPath) {
  alignas(64) uint32_t low[128], high[128];
  std::mt19937_64 random(1);
  for (uint32_t& x : low) x = static_cast<uint32_t>(random());
  for (uint32_t& x : high) x = static_cast<uint32_t>(random());
  for (const DrawLanesPath& path : DrawLanesPaths()) {
    for (size_t n = 0; n <= 128; ++n) {
      for (const uint32_t* ups : {static_cast<uint32_t*>(nullptr), high}) {
        for (const uint32_t limit : {0u, 0x30000000u, UINT32_MAX}) {
          uint32_t places[128], words[128];
          const size_t count =
              path.find_small(kFirstKey, low, ups, n, limit, places, words);
          size_t next = 0;
          for (size_t i = 0; i < n; ++i) {
            const uint64_t id =
                low[i] | (ups == nullptr ? 0 : uint64_t{ups[i]} << 32);
            const uint64_t variate = DefinedVariate(kFirstKey, id);
            if (variate >> 32 > limit) continue;
            ASSERT_LT(next, count) << path.name;
            ASSERT_EQ(places[next], i) << path.name;
            ASSERT_EQ(words[next++], variate >> 32) << path.name;
          }
          ASSERT_EQ(next, count) << path.name;
        }
      }
    }
  }
}

// The k smallest where they are told apart; equal ones are all in or all out.
TEST(PickSmall, IsTheDefinitionOnEveryPath) {
  std::mt19937 random(1);
  for (const DrawLanesPath& path : DrawLanesPaths()) {
    for (uint32_t count = 1; count <= kMostPicked; ++count) {
      uint32_t words[kMostPicked] = {};
      for (uint32_t i = 0; i < count; ++i) words[i] = random() % (2 * count);
      for (uint32_t k = 1; k <= count; ++k) {
        const uint64_t picked = path.pick_small(words, count, k);
        for (uint32_t i = 0; i < kMostPicked; ++i) {
          const auto at_most = std::count_if(
              words, words + count, [&](uint32_t w) { return w <= words[i]; });
          ASSERT_EQ(picked >> i & 1, i < count && at_most <= k ? 1u : 0u)
              << path.name << " " << count << " " << k << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tributary
