// Hops in which some edges may not be drawn, against the definition of draws
// among those that may.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;

// ---- by hand ---------------------------------------------------------------

// One row of these many edges: ids 1000, 1001, ..., sources 0, 1, ...
Drawn WithoutIds(uint64_t degree, const std::vector<int64_t>& positions,
                 int32_t fanout, bool replace) {
  const HopRows rows({degree});
  const AskedNodes asked(1);
  HopQuery query = asked.Query(fanout, replace);
  ExcludedEdges excluded;
  for (int64_t p : positions) excluded.by_id.push_back({0, 1000 + p});
  EXPECT_TRUE(excluded.Finish().ok());
  query.excluded = {excluded, 0, 1};
  return *PositionsDrawn(rows, query);
}

// The first key's draws of docs/sampling.md, k = 6 of d = 20, are ranks
// 1 3 4 5 8 17 among what is left.
TEST(EligibleHop, RanksAreCountedAmongWhatIsLeft) {
  EXPECT_EQ(WithoutIds(20, {}, 6, false), (Drawn{{1, 3, 4, 5, 8, 17}}));
  EXPECT_EQ(WithoutIds(21, {0}, 6, false), (Drawn{{2, 4, 5, 6, 9, 18}}));
  EXPECT_EQ(WithoutIds(22, {4, 9}, 6, false), (Drawn{{1, 3, 5, 6, 10, 19}}));
  EXPECT_EQ(WithoutIds(5, {1, 3}, 6, true), (Drawn{{0, 0, 0, 0, 2, 2}}));
}

TEST(EligibleHop, AFullFanoutIsFilled) {
  EXPECT_EQ(WithoutIds(5, {1}, 4, false), (Drawn{{0, 2, 3, 4}}));
  EXPECT_EQ(WithoutIds(5, {1, 0, 4}, -1, true), (Drawn{{2, 3}}));
  EXPECT_EQ(WithoutIds(2, {0, 1}, 4, true), (Drawn{{}}));
  EXPECT_EQ(WithoutIds(2, {0, 1}, -1, false), (Drawn{{}}));
  EXPECT_EQ(WithoutIds(3, {0}, 0, false), (Drawn{{}}));
  EXPECT_EQ(WithoutIds(0, {7}, 3, false), (Drawn{{}}));
  EXPECT_EQ(WithoutIds(3, {-1000, 70}, -1, false), (Drawn{{0, 1, 2}}));
}

// The largest weight counts although it is left out.
TEST(EligibleHop, WeightsAreThoseOfAllInEdges) {
  HopRows rows({6});
  rows.SetWeights({1, 2, 0, 5, 3, 4});
  const AskedNodes asked(1);
  HopQuery query = asked.Query(6, true);
  query.draw = DrawMode::kWeighted;
  query.predicate = PredicateOf("edge_weight != 5");
  const auto all = DefinedWeights({1, 2, 0, 5, 3, 4});
  const auto defined =
      DefinedWeightedDraw(DefinedWords(kFirstKey, 5),
                          {all[0], all[1], all[2], all[4], all[5]}, 6, true);
  Positions expected;
  for (uint64_t p : defined) expected.push_back(p < 3 ? p : p + 1);
  EXPECT_EQ(*PositionsDrawn(rows, query), (Drawn{expected}));
}

// A source is left out with all its parallel edges, an id alone.
TEST(EligibleHop, SourcesGoWithTheirParallels) {
  HopRows rows({5, 2});
  rows.indices.Set({8, 8, 9, 9, 8, 8, 9});
  HopQuery query;
  const std::vector<uint64_t> asked_rows = {0, 1, 0};
  const std::vector<uint32_t> numbers = {0, 1, 2};
  query.key = kFirstKey;
  query.fanout = -1;
  query.rows = asked_rows;
  query.local_numbers = numbers;
  ExcludedEdges excluded;
  excluded.by_id = {{40, 1002}, {41, 1002}};
  excluded.by_source = {{40, 8}, {41, 3}, {42, 9}};
  ASSERT_TRUE(excluded.Finish().ok());
  query.excluded = {excluded, 40, 42};
  HopEdges out;
  ASSERT_TRUE(SampleHop(rows.view(), 10, query, &out).ok());
  EXPECT_EQ(out.counts, (std::vector<uint32_t>{1, 2, 1}));
  EXPECT_EQ(out.edge_ids, (std::vector<int64_t>{1003, 1005, 1006, 1003}));
}

// ---- every kind of draw against the definition ------------------------------

// Rows with all that draws go by; an edge's attributes are small numbers.
struct RandomRows {
  RandomRows(uint64_t seed, const std::vector<uint64_t>& degrees, bool wide)
      : rows(degrees, wide), asked(degrees.size()) {
    std::mt19937_64 random(seed);
    const uint64_t n = rows.num_edges();
    std::vector<uint64_t> sources;
    for (uint64_t e = 0; e < n; ++e) {
      weight.push_back(random() % 4 == 0 ? 0 : double(random() % 100));
      time.push_back(static_cast<int64_t>(random() % 20));
      neighbor.push_back(random() % (n + 1));
      for (int j = 0; j < 2; ++j) {
        attr.push_back(random() % 11 == 0
                           ? std::numeric_limits<float>::quiet_NaN()
                           : random() % 10);
      }
    }
    rows.SetWeights(weight);
    rows.SetEdgeTimes(time);
    rows.SetNeighborTimes(time);
    rows.SetNeighborIds(neighbor);
    rows.SetAttributes(attr);
    for (uint32_t& tree : asked.trees) tree = random() % 3;
    for (size_t i = 0; i < degrees.size(); ++i) {
      bound.push_back(static_cast<int64_t>(random() % 22) - 1);
    }
    Exclude(random);
  }

  // A third of the rows, of which some are left with little.
  void Exclude(std::mt19937_64& random) {
    for (size_t row = 0; row < asked.rows.size(); ++row) {
      if (random() % 3 != 0) continue;
      const uint64_t most = random() % 2 == 0 ? 4 : 200;
      for (uint64_t i = 0; i < most && rows.degree(row) > 0; ++i) {
        const uint64_t e = rows.indptr[row] + random() % rows.degree(row);
        if (random() % 2 == 0) {
          excluded.by_id.push_back({row, static_cast<int64_t>(1000 + e)});
        } else {
          excluded.by_source.push_back({row, e});  // the source is as numbered
        }
      }
    }
    EXPECT_TRUE(excluded.Finish().ok());
    for (const EdgeOfNode& edge : excluded.by_id) {
      not_drawn.insert(not_drawn.end(), edge.edge_id - 1000);
    }
    for (const SourceOfNode& edge : excluded.by_source) {
      not_drawn.push_back(edge.source);
    }
  }

  HopRows rows;
  AskedNodes asked;
  std::vector<double> weight;
  std::vector<int64_t> time, bound;
  std::vector<uint64_t> neighbor;
  std::vector<float> attr;
  ExcludedEdges excluded;
  std::vector<uint64_t> not_drawn;  // edges
};

// A predicate, and what it says of edge e.
struct Case {
  const char* predicate;
  std::function<bool(const RandomRows&, uint64_t e)> meets;
  bool exclude;
};

std::vector<Case> Cases() {
  const auto any = [](const RandomRows&, uint64_t) { return true; };
  const auto attr = [](const RandomRows& r, uint64_t e) {
    return r.attr[2 * e + 1] >= 2.5 && r.time[e] != 7;
  };
  const auto weight = [](const RandomRows& r, uint64_t e) {
    return r.weight[e] < 60;
  };
  return {{nullptr, any, true},
          {"edge_attr[1] >= 2.5 and edge_time != 7", attr, false},
          {"edge_weight < 60", weight, true}};
}

HopQuery QueryOf(const RandomRows& random, const Case& c, HopQuery query) {
  if (c.predicate != nullptr) query.predicate = PredicateOf(c.predicate);
  if (c.exclude) query.excluded = {random.excluded, 0, UINT64_MAX};
  if (query.time != TimeMode::kNone) query.time_bound = random.bound;
  return query;
}

// The values of some edges.
template <typename T>
std::vector<T> Of(const std::vector<T>& values, const Positions& edges) {
  std::vector<T> of;
  for (uint64_t e : edges) of.push_back(values[e]);
  return of;
}

// A row's draw as if it had no other edges than `edges`, but for the largest
// weight.
Positions DefinedAmong(const RandomRows& random, const HopQuery& query,
                       size_t row, const Positions& edges,
                       const std::vector<uint64_t>& integers) {
  const Words words = DefinedWords(query.key, random.asked.numbers[row],
                                   random.asked.trees[row]);
  const int64_t k = query.fanout;
  if (query.draw == DrawMode::kLabor) {
    return DefinedLaborDraw(query.key, Of(random.neighbor, edges), k);
  }
  if (query.draw == DrawMode::kWeighted) {
    return DefinedWeightedDraw(words, Of(integers, edges), k, query.replace);
  }
  if (query.time == TimeMode::kNone) {
    return DefinedDraw(words, edges.size(), k, query.replace);
  }
  return DefinedTimedDraw(words, Of(random.time, edges),
                          {random.bound[row], query.strict, query.latest}, k,
                          query.replace);
}

Drawn Defined(const RandomRows& random, const Case& c, const HopQuery& query) {
  std::vector<bool> left_out(random.rows.num_edges());
  if (c.exclude) {
    for (uint64_t e : random.not_drawn) left_out[e] = true;
  }
  Drawn drawn;
  std::vector<uint64_t> integers;
  for (size_t row = 0; row < random.asked.rows.size(); ++row) {
    const uint64_t begin = random.rows.indptr[row];
    const uint64_t end = random.rows.indptr[row + 1];
    for (uint64_t w :
         DefinedWeights({random.weight.begin() + static_cast<int64_t>(begin),
                         random.weight.begin() + static_cast<int64_t>(end)})) {
      integers.push_back(w);
    }
    Positions edges;
    for (uint64_t e = begin; e < end; ++e) {
      if (!left_out[e] && c.meets(random, e)) edges.push_back(e);
    }
    Positions& positions = drawn.emplace_back();
    for (uint64_t p : DefinedAmong(random, query, row, edges, integers)) {
      positions.push_back(edges[p] - begin);
    }
  }
  return drawn;
}

// Each kind of draw.
std::vector<HopQuery> Queries(const RandomRows& random, int32_t fanout) {
  std::vector<HopQuery> queries;
  for (const bool replace : {false, true}) {
    const HopQuery query = random.asked.Query(fanout, replace);
    queries.push_back(query);
    queries.push_back(query);
    queries.back().draw = DrawMode::kWeighted;
    queries.push_back(query);
    queries.back().time = TimeMode::kEdge;
    queries.push_back(query);
    queries.back().time = TimeMode::kNode;
    queries.back().strict = true;
  }
  queries.push_back(random.asked.Query(fanout, false));
  queries.back().draw = DrawMode::kLabor;
  queries.push_back(random.asked.Query(fanout, false));
  queries.back().time = TimeMode::kEdge;
  queries.back().latest = true;
  return queries;
}

std::string Describe(const HopQuery& query, const Case& c) {
  return "fanout " + std::to_string(query.fanout) + ", replace " +
         std::to_string(query.replace) + ", draw " +
         std::to_string(static_cast<int>(query.draw)) + ", time " +
         std::to_string(static_cast<int>(query.time)) + ", latest " +
         std::to_string(query.latest) + ", predicate " +
         (c.predicate == nullptr ? "none" : c.predicate);
}

std::vector<uint64_t> RandomDegrees(uint64_t seed, size_t n, uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> degrees;
  for (size_t i = 0; i < n; ++i) {
    degrees.push_back(random() % (i % 3 == 0 ? below : 12));
  }
  return degrees;
}

TEST(EligibleHop, IsTheDefinitionOnThousandsOfRows) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const RandomRows random(seed, RandomDegrees(seed, 150, 300), seed % 2 == 0);
    for (const int32_t fanout : {-1, 0, 1, 5, 15, 33, 100}) {
      for (const HopQuery& plain : Queries(random, fanout)) {
        for (const Case& c : Cases()) {
          const HopQuery query = QueryOf(random, c, plain);
          ASSERT_EQ(*PositionsDrawn(random.rows, query),
                    Defined(random, c, query))
              << "seed " << seed << ", " << Describe(query, c);
        }
      }
    }
  }
}

// Where draws become wide, by what is left and not by the degree.
TEST(EligibleHop, IsTheDefinitionOnHubs) {
  for (const uint64_t degree : {65'537, 65'540, 120'000}) {
    const RandomRows random(4, {degree, 5, 300}, false);
    for (const int32_t fanout : {3, 70, 1500}) {
      for (const HopQuery& plain : Queries(random, fanout)) {
        for (const Case& c : Cases()) {
          const HopQuery query = QueryOf(random, c, plain);
          ASSERT_EQ(*PositionsDrawn(random.rows, query),
                    Defined(random, c, query))
              << degree << ": " << Describe(query, c);
        }
      }
    }
  }
}

TEST(EligibleHop, ContinuationsAddUp) {
  const RandomRows random(8, RandomDegrees(8, 40, 200), false);
  for (const int32_t fanout : {-1, 3, 40}) {
    for (const HopQuery& plain : Queries(random, fanout)) {
      for (const Case& c : Cases()) {
        for (const uint64_t piece : {1, 7, 129, 5000}) {
          HopQuery query = QueryOf(random, c, plain);
          query.exact_memory = piece != 7;
          const auto drawn = PositionsInPieces(random.rows, query, piece);
          ASSERT_TRUE(drawn.ok()) << drawn.status();
          ASSERT_EQ(*drawn, Defined(random, c, query))
              << "by " << piece << ": " << Describe(query, c);
        }
      }
    }
  }
}

// Sums and orders that contradict themselves: DATA_LOSS or unseen, never harm.
TEST(EligibleHop, DamagedArraysAreDataLossOrUnseen) {
  std::mt19937_64 random(1);
  int seen = 0;
  for (int round = 0; round < 400; ++round) {
    RandomRows damaged(round, {1 + random() % 100, 3, 1 + random() % 40},
                       round % 2 == 0);
    for (uint64_t& sum : damaged.rows.weight_sum) {
      if (random() % 3 == 0) sum = random() >> random() % 64;
    }
    for (auto* times : {&damaged.rows.edge_time, &damaged.rows.neighbor_time}) {
      for (uint32_t& p : times->position.narrow) {
        if (random() % 4 == 0) p = static_cast<uint32_t>(random() % 120);
      }
      for (uint64_t& p : times->position.wide) {
        if (random() % 4 == 0) p = random() >> random() % 64;
      }
      for (int64_t& time : times->time) {
        if (random() % 4 == 0) time = static_cast<int64_t>(random() % 20);
      }
    }
    for (const int32_t fanout : {-1, 1, 4, 40}) {
      for (const HopQuery& plain : Queries(damaged, fanout)) {
        for (const Case& c : Cases()) {
          const auto drawn =
              PositionsDrawn(damaged.rows, QueryOf(damaged, c, plain));
          if (drawn.ok()) continue;
          EXPECT_EQ(drawn.status().code(), absl::StatusCode::kDataLoss);
          ++seen;
        }
      }
    }
  }
  EXPECT_GT(seen, 3000);
}

}  // namespace
}  // namespace tributary
