#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;
using Times = std::vector<int64_t>;

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

HopQuery Timed(HopQuery query, const Times& bounds) {
  query.time = TimeMode::kEdge;
  query.time_bound = bounds;
  return query;
}

// One node, local number 5, whose edges have these times.
Positions OneRow(const Times& times, const DefinedTime& asked, int32_t fanout,
                 bool replace = false) {
  HopRows rows({times.size()});
  rows.SetEdgeTimes(times);
  const AskedNodes nodes(1);
  const Times bounds = {asked.bound};
  HopQuery query = Timed(nodes.Query(fanout, replace), bounds);
  query.strict = asked.strict;
  query.latest = asked.latest;
  return PositionsDrawn(rows, query)->at(0);
}

// Edges 0 to 6, drawn by time: 4 at -1; 1 and 5 at 2; 0, 3 and 6 at 7; 2 at 9.
const Times& SevenTimes() {
  static const auto* const times = new Times{7, 2, 9, 7, -1, 2, 7};
  return *times;
}

TEST(TemporalHop, EligibleAreThoseUpToTheBound) {
  const auto all = [](int64_t bound, bool strict) {
    return OneRow(SevenTimes(), {.bound = bound, .strict = strict}, -1);
  };
  EXPECT_EQ(all(-2, false), (Positions{}));
  EXPECT_EQ(all(-1, false), (Positions{4}));
  EXPECT_EQ(all(-1, true), (Positions{}));
  EXPECT_EQ(all(2, false), (Positions{1, 4, 5}));
  EXPECT_EQ(all(2, true), (Positions{4}));
  EXPECT_EQ(all(7, true), (Positions{1, 4, 5}));
  EXPECT_EQ(all(7, false), (Positions{0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(all(kLast, true), (Positions{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(all(kFirst, true), (Positions{}));
  EXPECT_EQ(all(kFirst, false), (Positions{}));
}

// Ties at the cut: the later position counts as the later one.
TEST(TemporalHop, LatestTakesTheEndOfThePrefix) {
  const auto latest = [](int64_t bound, bool strict, int32_t fanout) {
    return OneRow(SevenTimes(),
                  {.bound = bound, .strict = strict, .latest = true}, fanout);
  };
  EXPECT_EQ(latest(8, false, 1), (Positions{6}));
  EXPECT_EQ(latest(8, false, 2), (Positions{3, 6}));
  EXPECT_EQ(latest(8, false, 4), (Positions{0, 3, 5, 6}));
  EXPECT_EQ(latest(7, true, 2), (Positions{1, 5}));
  EXPECT_EQ(latest(7, true, 9), (Positions{1, 4, 5}));
  EXPECT_EQ(latest(9, false, 1), (Positions{2}));
  EXPECT_EQ(latest(9, false, 0), (Positions{}));
  EXPECT_EQ(latest(2, false, -1), (Positions{1, 4, 5}));
  // Each once, with replacement too.
  EXPECT_EQ(OneRow(SevenTimes(), {.bound = 2, .latest = true}, 5, true),
            (Positions{1, 4, 5}));
}

// docs/sampling.md: d = 20, k = 6 draws 1 3 4 5 8 17; with replacement, d = 3,
// k = 6: 0 0 0 0 1 1. Here those are ranks: of times that descend, and with
// edges in between that are too late.
TEST(TemporalHop, VectorsAsRanks) {
  Times descending, between;
  for (int64_t i = 0; i < 20; ++i) descending.push_back(-i);
  EXPECT_EQ(OneRow(descending, {.bound = 0}, 6),
            (Positions{2, 11, 14, 15, 16, 18}));
  for (int64_t i = 0; i < 40; ++i) between.push_back(i % 2 == 0 ? 100 : i);
  EXPECT_EQ(OneRow(between, {.bound = 99}, 6),
            (Positions{3, 7, 9, 11, 17, 35}));
  EXPECT_EQ(OneRow({3, 2, 1, 4}, {.bound = 3}, 6, true),
            (Positions{1, 1, 2, 2, 2, 2}));
}

struct RandomRows {
  RandomRows(uint64_t seed, const std::vector<uint64_t>& degrees, bool wide)
      : rows(degrees, wide), asked(degrees.size()) {
    std::mt19937_64 random(seed);
    Times all;
    for (uint64_t d : degrees) {
      // Few times: many ties.
      const uint64_t most = random() % 2 == 0 ? 5 : 4 * d + 1;
      Times& row = times.emplace_back(d);
      for (int64_t& t : row) t = static_cast<int64_t>(random() % most) - 2;
      all.insert(all.end(), row.begin(), row.end());
      bounds.push_back(static_cast<int64_t>(random() % (most + 2)) - 3);
    }
    rows.SetEdgeTimes(all);
    rows.SetNeighborTimes(Times(all.rbegin(), all.rend()));
    for (uint32_t& tree : asked.trees) tree = random() % 3;
  }
  HopQuery Query(int32_t fanout, bool replace, int kind) const {
    HopQuery query = Timed(asked.Query(fanout, replace), bounds);
    query.strict = kind % 2 == 1;
    query.latest = kind / 2 == 1;
    return query;
  }
  Drawn Defined(const HopQuery& query) const {
    Drawn drawn;
    for (size_t i = 0; i < times.size(); ++i) {
      drawn.push_back(DefinedTimedDraw(
          DefinedWords(kFirstKey, asked.numbers[i], asked.trees[i]), times[i],
          {bounds[i], query.strict, query.latest}, query.fanout,
          query.replace));
    }
    return drawn;
  }
  HopRows rows;
  AskedNodes asked;
  std::vector<Times> times;
  Times bounds;
};

std::vector<uint64_t> RandomDegrees(uint64_t seed, size_t n, uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> degrees;
  for (size_t i = 0; i < n; ++i) {
    degrees.push_back(random() % (i % 3 == 0 ? below : 12));
  }
  return degrees;
}

TEST(TemporalHop, IsTheDefinitionOnThousandsOfRows) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const RandomRows random(seed, RandomDegrees(seed, 200, 300), seed % 2 == 0);
    for (const int32_t fanout : {-1, 0, 1, 2, 5, 15, 32, 33, 100}) {
      for (int kind = 0; kind < 4; ++kind) {
        const HopQuery query =
            random.Query(fanout, (seed + fanout) % 2 == 0, kind);
        ASSERT_EQ(*PositionsDrawn(random.rows, query), random.Defined(query))
            << "seed " << seed << ", fanout " << fanout << ", kind " << kind;
      }
    }
  }
}

// Beyond what a draw does in 32 bits, what lanes take, and what is sorted.
TEST(TemporalHop, IsTheDefinitionOnHubs) {
  const RandomRows random(3, {70'000, 5, 200'000}, false);
  for (const int32_t fanout : {-1, 20, 1500, 20'000}) {
    for (int kind = 0; kind < 4; ++kind) {
      for (const bool replace : {false, true}) {
        const HopQuery query = random.Query(fanout, replace, kind);
        ASSERT_EQ(*PositionsDrawn(random.rows, query), random.Defined(query))
            << fanout << ", kind " << kind;
      }
    }
  }
}

// Rows that are gone through in several windows of 2^23 positions.
TEST(TemporalHop, AllOfARowOfMillions) {
  constexpr uint64_t kDegree = 10'000'000;
  HopRows rows({kDegree});
  for (uint64_t e = 0; e < kDegree; ++e) {  // the latest position first
    rows.edge_time.time.push_back(static_cast<int64_t>(e));
    rows.edge_time.position.narrow.push_back(
        static_cast<uint32_t>(kDegree - 1 - e));
  }
  const AskedNodes nodes(1);
  const Times bounds = {8'999'999};
  HopQuery query = Timed(nodes.Query(-1, false), bounds);
  query.want_positions = false;
  query.skip_edges = 1'000'000;
  HopEdges out;
  ASSERT_TRUE(SampleHop(rows.view(), kDegree, query, &out).ok());
  ASSERT_EQ(out.neighbors.size(), 8'000'000u);
  for (uint64_t i = 0; i < out.neighbors.size(); ++i) {
    ASSERT_EQ(out.neighbors[i], 2'000'000 + i);
  }
}

TEST(TemporalHop, ContinuationsAddUp) {
  const RandomRows random(8, RandomDegrees(8, 60, 200), false);
  for (const int32_t fanout : {-1, 3, 40}) {
    for (int kind = 0; kind < 4; ++kind) {
      for (const uint64_t piece : {1, 2, 7, 129, 5000}) {
        HopQuery query = random.Query(fanout, kind % 3 == 0, kind);
        query.exact_memory = piece % 2 == 1;
        const auto drawn = PositionsInPieces(random.rows, query, piece);
        ASSERT_TRUE(drawn.ok()) << drawn.status();
        ASSERT_EQ(*drawn, random.Defined(query)) << fanout << " by " << piece;
      }
    }
  }
}

TEST(TemporalHop, NeighboursHaveTimesOfTheirOwn) {
  HopRows rows({3});
  rows.SetEdgeTimes({1, 2, 3});
  rows.SetNeighborTimes({3, 2, 1});
  const AskedNodes nodes(1);
  const Times bounds = {2};
  HopQuery query = Timed(nodes.Query(-1, false), bounds);
  EXPECT_EQ(*PositionsDrawn(rows, query), (Drawn{{0, 1}}));
  query.time = TimeMode::kNode;
  EXPECT_EQ(*PositionsDrawn(rows, query), (Drawn{{1, 2}}));
}

TEST(TemporalHop, RefusesWhatItCannotDraw) {
  using Code = absl::StatusCode;
  HopRows rows({3});
  const AskedNodes nodes(1);
  const Times bounds = {2};
  HopQuery query = Timed(nodes.Query(1, false), bounds);
  absl::Status status = PositionsDrawn(rows, query).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the edge type has no edge times");
  query.time = TimeMode::kNode;
  status = PositionsDrawn(rows, query).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the edge type has no times of neighbours");
  rows.SetNeighborTimes({1, 2, 3});
  for (const DrawMode draw : {DrawMode::kWeighted, DrawMode::kLabor}) {
    query.draw = draw;
    EXPECT_EQ(PositionsDrawn(rows, query).status().code(),
              Code::kInvalidArgument);
  }
  query.draw = DrawMode::kUniform;
  EXPECT_TRUE(PositionsDrawn(rows, query).ok());
  query.time_bound = {};
  EXPECT_EQ(PositionsDrawn(rows, query).status().code(),
            Code::kInvalidArgument);
}

TEST(TemporalHop, PositionsBeyondTheRowAreDataLoss) {
  for (const int32_t fanout : {-1, 2, 3, 40}) {
    for (const bool latest : {false, true}) {
      HopRows rows({50, 50});
      rows.SetEdgeTimes(Times(100, 1));
      for (size_t e = 0; e < 50; ++e) rows.edge_time.position.narrow[e] += 50;
      const AskedNodes nodes(2);
      const Times bounds = {1, 1};
      HopQuery query = Timed(nodes.Query(fanout, false), bounds);
      query.latest = latest;
      EXPECT_EQ(PositionsDrawn(rows, query).status().code(),
                absl::StatusCode::kDataLoss);
    }
  }
}

// DATA_LOSS where a draw meets it, and never harm.
TEST(TemporalHop, DamagedOrdersAreDataLossOrUnseen) {
  std::mt19937_64 random(1);
  int seen = 0;
  for (int round = 0; round < 2000; ++round) {
    HopRows rows({1 + random() % 100, 1 + random() % 10, 1 + random() % 100},
                 /*wide_ids=*/round % 2 == 0);
    rows.SetEdgeTimes(Times(rows.num_edges()));
    for (int64_t& t : rows.edge_time.time) {
      t = static_cast<int64_t>(random() % 7);
    }
    for (size_t i = 0; i < 3; ++i) {
      const size_t e = random() % rows.num_edges();
      rows.edge_time.position.narrow[e] = static_cast<uint32_t>(random());
      rows.edge_time.position.wide[e] = random();
    }
    const AskedNodes nodes(3);
    const Times bounds = {3, 2, 4};
    for (const int32_t fanout : {-1, 1, 4, 32, 50}) {
      HopQuery query = Timed(nodes.Query(fanout, round % 3 == 0), bounds);
      query.latest = round % 5 == 0;
      const auto drawn = PositionsDrawn(rows, query);
      if (drawn.ok()) continue;
      EXPECT_EQ(drawn.status().code(), absl::StatusCode::kDataLoss);
      ++seen;
    }
  }
  EXPECT_GT(seen, 3000);
}

}  // namespace
}  // namespace tributary
