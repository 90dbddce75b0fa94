#include "sampler_server/engine/draw/draw_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sampler_server/engine/draw/draw.h"

namespace tributary {
namespace {

constexpr PhiloxKey kFirstKey{0xa9034aaf, 0x0c819c21};

using Positions = std::vector<uint64_t>;

Positions OfLane(const LaneDraws& draws, uint32_t lane, uint32_t k) {
  Positions positions;
  for (uint32_t i = 0; i < k; ++i) {
    positions.push_back(draws.position[i * kDrawLanes + lane]);
  }
  return positions;
}

class DrawLanesTest : public testing::TestWithParam<DrawLanesPath> {};

// Vectors of docs/sampling.md: first key, local number 5.
TEST_P(DrawLanesTest, Vectors) {
  LaneDraws draws;
  std::fill_n(draws.local_number, kDrawLanes, 5);
  std::fill_n(draws.degree, kDrawLanes, 20);
  GetParam().draw(kFirstKey, 6, /*replace=*/false, draws);
  for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
    EXPECT_EQ(OfLane(draws, lane, 6), (Positions{1, 3, 4, 5, 8, 17}));
  }
  std::fill_n(draws.degree, kDrawLanes, 3);
  GetParam().draw(kFirstKey, 6, /*replace=*/true, draws);
  for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
    EXPECT_EQ(OfLane(draws, lane, 6), (Positions{0, 0, 0, 0, 1, 1}));
  }
}

// Small degrees draw the same position again and again; the largest ones use
// every bit that a narrow draw has.
uint32_t DegreeOf(PhiloxStream& words, uint32_t i, uint32_t least) {
  const uint32_t most = i % 3 == 0   ? least + 3
                        : i % 3 == 1 ? least + 200
                                     : uint32_t{kWideThreshold};
  if (i % 16 == 2) return kWideThreshold;
  return least + words.BelowNarrow(i, most - least + 1);
}

TEST_P(DrawLanesTest, EqualWhatIsDrawnNodeByNode) {
  PhiloxStream words({1, 2}, 0);
  PositionDrawer drawer;
  uint32_t next = 0;
  for (uint32_t k = 1; k <= kMostLaneDraws; ++k) {
    for (int round = 0; round < 100; ++round) {
      const bool replace = round % 4 == 3;
      const PhiloxKey key{words.Word(next), words.Word(next + 1)};
      LaneDraws draws;
      for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
        draws.local_number[lane] = words.Word(++next);
        draws.tree[lane] = lane % 3 == 0 ? 0 : words.Word(++next);
        draws.degree[lane] = DegreeOf(words, ++next, replace ? 1 : k + 1);
      }
      GetParam().draw(key, k, replace, draws);
      for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
        const NodeCounter node{draws.local_number[lane], draws.tree[lane]};
        const uint32_t degree = draws.degree[lane];
        const auto expected = drawer.Draw(key, node, degree, k, replace);
        ASSERT_EQ(OfLane(draws, lane, k),
                  Positions(expected.begin(), expected.end()))
            << "k " << k << ", degree " << degree;
      }
    }
  }
}

TEST_P(DrawLanesTest, SmallDegreesGiveAllTheirPositions) {
  LaneDraws draws;
  for (uint32_t lane = 0; lane < kDrawLanes; ++lane) draws.degree[lane] = lane;
  GetParam().draw(kFirstKey, 3, /*replace=*/false, draws);
  EXPECT_EQ(OfLane(draws, 0, 3), (Positions{0, 0, 0}));
  EXPECT_EQ(OfLane(draws, 1, 3), (Positions{0, 0, 0}));
  EXPECT_EQ(OfLane(draws, 2, 3), (Positions{0, 1, 1}));
  EXPECT_EQ(OfLane(draws, 3, 3), (Positions{0, 1, 2}));
  PositionDrawer drawer;
  for (uint32_t lane = 4; lane < kDrawLanes; ++lane) {
    const auto drawn = drawer.Draw(kFirstKey, NodeCounter{}, lane, 3, false);
    EXPECT_EQ(OfLane(draws, lane, 3), Positions(drawn.begin(), drawn.end()));
  }
  draws.degree[0] = 0;
  GetParam().draw(kFirstKey, 3, /*replace=*/true, draws);
  EXPECT_EQ(OfLane(draws, 0, 3), (Positions{0, 0, 0}));
}

TEST_P(DrawLanesTest, WordsAreThoseOfEachNodesStream) {
  LaneWords words;
  for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
    words.local_number[lane] = 0xFFFFFFF0 + lane;
    words.tree[lane] = lane % 3 * 0x80000001;
  }
  for (const uint32_t count : {1u, 6u, 2 * kMostLaneDraws}) {
    const uint32_t first = count - 1;
    GetParam().fill(kFirstKey, first, count, words);
    for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
      PhiloxStream stream(kFirstKey, words.local_number[lane],
                          words.tree[lane]);
      for (uint32_t j = 0; j < count; ++j) {
        ASSERT_EQ(words.word[j * kDrawLanes + lane],
                  stream.Word(4 * first + j));
      }
    }
  }
}

TEST_P(DrawLanesTest, SortsEachLane) {
  PhiloxStream words({3, 4}, 0);
  for (uint32_t count = 1; count <= kMostLaneDraws; ++count) {
    LaneDraws draws;
    std::vector<Positions> sorted(kDrawLanes);
    for (uint32_t i = 0; i < count * kDrawLanes; ++i) {
      draws.position[i] = words.Word(i) >> (i % 7 == 0 ? 0 : 28);
      sorted[i % kDrawLanes].push_back(draws.position[i]);
    }
    GetParam().sort(count, draws.position);
    for (uint32_t lane = 0; lane < kDrawLanes; ++lane) {
      std::sort(sorted[lane].begin(), sorted[lane].end());
      ASSERT_EQ(OfLane(draws, lane, count), sorted[lane]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllPaths, DrawLanesTest,
                         testing::ValuesIn(DrawLanesPaths()),
                         [](const auto& path) {
                           return std::string(path.param.name);
                         });

TEST(DrawLanesPaths, NoneIsLeftOutHere) {
  std::vector<std::string> names;
  for (const DrawLanesPath& path : DrawLanesPaths()) names.push_back(path.name);
  EXPECT_EQ(names.front(), "sse4");
  const auto has = [&names](const char* name) {
    return std::count(names.begin(), names.end(), name) == 1;
  };
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("avx512"), __builtin_cpu_supports("avx512f") != 0);
}

}  // namespace
}  // namespace tributary
