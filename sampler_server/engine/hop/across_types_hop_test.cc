// One draw over the rows that a node has in several edge types, of which each
// type's query gives its own part.
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;

// Edge types that end at the same nodes, each by the degrees of the nodes.
class TypedRows {
 public:
  explicit TypedRows(const std::vector<std::vector<uint64_t>>& degrees,
                     bool wide_ids = false) {
    for (const auto& of_type : degrees) types.emplace_back(of_type, wide_ids);
  }

  // Returns the query of type t; this object outlives it.
  HopQuery Of(size_t t, const HopQuery& of_all) {
    views_.clear();
    for (const HopRows& rows : types) views_.push_back(rows.view());
    HopQuery query = of_all;
    query.draw = DrawMode::kAcrossTypes;
    for (size_t other = 0; other < types.size(); ++other) {
      if (other < t) query.others.before.push_back(&views_[other]);
      if (other > t) query.others.after.push_back(&views_[other]);
    }
    return query;
  }
  absl::StatusOr<Drawn> Draw(size_t t, const HopQuery& of_all) {
    return PositionsDrawn(types[t], Of(t, of_all));
  }

  uint64_t degree(uint64_t row) const {
    uint64_t sum = 0;
    for (const HopRows& rows : types) sum += rows.degree(row);
    return sum;
  }
  // Returns what type t emits by definition.
  Drawn Defined(size_t t, const HopQuery& query) const {
    Drawn drawn;
    for (size_t i = 0; i < query.rows.size(); ++i) {
      const uint64_t row = query.rows[i];
      uint64_t before = 0;
      for (size_t other = 0; other < t; ++other) {
        before += types[other].degree(row);
      }
      const Words words =
          DefinedWords(query.key, query.local_numbers[i],
                       query.trees.empty() ? 0 : query.trees[i]);
      Positions& kept = drawn.emplace_back();
      for (uint64_t p :
           DefinedDraw(words, degree(row), query.fanout, query.replace)) {
        if (p >= before && p < before + types[t].degree(row)) {
          kept.push_back(p - before);
        }
      }
    }
    return drawn;
  }

  std::vector<HopRows> types;  // open to damage

 private:
  std::vector<EdgePartition> views_;
};

// Vectors of docs/sampling.md: of 22 neighbours 1 3 5 6 9 20 are drawn.
TEST(AcrossTypesHop, Vectors) {
  TypedRows rows({{7}, {0}, {15}});
  const AskedNodes nodes(1);
  const HopQuery query = nodes.Query(6, false);
  EXPECT_EQ(*rows.Draw(0, query), (Drawn{{1, 3, 5, 6}}));
  EXPECT_EQ(*rows.Draw(1, query), (Drawn{{}}));
  EXPECT_EQ(*rows.Draw(2, query), (Drawn{{2, 13}}));
  const HopQuery again = nodes.Query(6, true);  // 1 4 5 6 8 9
  EXPECT_EQ(*rows.Draw(0, again), (Drawn{{1, 4, 5, 6}}));
  EXPECT_EQ(*rows.Draw(2, again), (Drawn{{1, 2}}));
}

// Fanouts on both sides of what lanes draw, degrees on both sides of wide
// draws, more nodes than lanes.
TypedRows RandomRows(bool wide_ids) {
  std::mt19937_64 random(wide_ids ? 3 : 4);
  std::vector<std::vector<uint64_t>> degrees(4);
  for (int row = 0; row < 100; ++row) {
    for (auto& of_type : degrees) {
      of_type.push_back(random() % 3 == 0 ? 0 : random() % 30);
    }
  }
  degrees[1][40] = 65'530;  // 65,536 and 65,537 with the others
  degrees[1][41] = 65'530;
  for (int row : {40, 41}) {
    degrees[0][row] = 0;
    degrees[2][row] = 5;
    degrees[3][row] = row == 40 ? 1 : 2;
  }
  for (auto& of_type : degrees) of_type[77] = 0;
  return TypedRows(degrees, wide_ids);
}

TEST(AcrossTypesHop, EachTypeKeepsItsPartOfOneDraw) {
  for (const bool wide_ids : {false, true}) {
    TypedRows rows = RandomRows(wide_ids);
    const AskedNodes nodes(100);
    for (const int32_t fanout : {-1, 0, 1, 4, 25, 32, 33, 70}) {
      for (const bool replace : {false, true}) {
        for (const bool exact : {false, true}) {
          HopQuery query = nodes.Query(fanout, replace);
          query.exact_memory = exact;
          for (size_t t = 0; t < rows.types.size(); ++t) {
            const auto drawn = rows.Draw(t, query);
            ASSERT_TRUE(drawn.ok()) << drawn.status();
            EXPECT_EQ(*drawn, rows.Defined(t, query))
                << fanout << " " << replace << " " << t;
          }
        }
      }
    }
  }
}

// Over all types a node draws its fanout, or all neighbours if they are fewer.
TEST(AcrossTypesHop, TheFanoutIsTheTotal) {
  TypedRows rows = RandomRows(false);
  const AskedNodes nodes(100);
  for (const int32_t fanout : {1, 4, 25, 70}) {
    for (const bool replace : {false, true}) {
      const HopQuery query = nodes.Query(fanout, replace);
      std::vector<uint64_t> total(100, 0);
      for (size_t t = 0; t < rows.types.size(); ++t) {
        const Drawn drawn = *rows.Draw(t, query);
        for (size_t i = 0; i < 100; ++i) total[i] += drawn[i].size();
      }
      for (size_t i = 0; i < 100; ++i) {
        const uint64_t degree = rows.degree(i);
        const auto k = static_cast<uint64_t>(fanout);
        EXPECT_EQ(total[i],
                  replace ? (degree == 0 ? 0 : k) : std::min(degree, k));
      }
    }
  }
}

TEST(AcrossTypesHop, ContinuationsAddUp) {
  TypedRows rows = RandomRows(false);
  const AskedNodes nodes(100);
  for (const int32_t fanout : {-1, 6, 40}) {
    for (size_t t = 0; t < rows.types.size(); ++t) {
      const HopQuery query = rows.Of(t, nodes.Query(fanout, true));
      const auto whole = PositionsDrawn(rows.types[t], query);
      for (const uint64_t piece : {1, 3, 50, 1000}) {
        if (fanout < 0 && piece < 50) continue;  // a piece for each edge
        EXPECT_EQ(*PositionsInPieces(rows.types[t], query, piece), *whole)
            << fanout << " " << t << " " << piece;
      }
    }
  }
}

// A limit of work ends a call between groups of nodes, in a graph of many types
// sooner: each node's degree in all of them is looked up.
TEST(AcrossTypesHop, TheOtherTypesAreWork) {
  TypedRows rows(
      std::vector<std::vector<uint64_t>>(50, std::vector<uint64_t>(1000, 2)));
  const AskedNodes nodes(1000);
  HopQuery query = rows.Of(0, nodes.Query(1, false));
  query.max_work = 5'000;
  HopEdges out;
  const absl::Status status =
      SampleHop(rows.types[0].view(), 2000, query, &out);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GE(out.counts.size(), 100u);
  EXPECT_LE(out.counts.size(), 116u);
}

absl::Status StatusOf(TypedRows& rows, const HopQuery& query) {
  return rows.Draw(0, query).status();
}

TEST(AcrossTypesHop, RefusesWhatItDoesNotGoWith) {
  TypedRows rows({{3, 4}, {5, 6}});
  const AskedNodes nodes(2);
  HopQuery query = nodes.Query(2, false);
  ExcludedEdges excluded;
  excluded.by_id = {{0, 1001}};
  ASSERT_TRUE(excluded.Finish().ok());
  query.excluded = {excluded, 0, 2};
  EXPECT_EQ(StatusOf(rows, query).code(), absl::StatusCode::kInvalidArgument);
  query = nodes.Query(2, false);
  query.predicate = PredicateOf("self_loop == 0");
  EXPECT_EQ(StatusOf(rows, query).code(), absl::StatusCode::kInvalidArgument);
  query = nodes.Query(2, false);
  query.time = TimeMode::kEdge;
  const absl::Status timed = StatusOf(rows, query);
  EXPECT_EQ(timed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(timed.message().find("across_types draws take no bounds in time"),
            std::string::npos)
      << timed;
}

TEST(AcrossTypesHop, FindsDamageOfTheOthers) {
  const AskedNodes nodes(2);
  const HopQuery query = nodes.Query(2, false);
  TypedRows fewer({{3, 4}, {5}});
  EXPECT_EQ(StatusOf(fewer, query).code(), absl::StatusCode::kDataLoss);
  TypedRows beyond({{3, 4}, {5, 6}});
  beyond.types[1].indptr[2] = uint64_t{1} << 60;
  const absl::Status status = StatusOf(beyond, query);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("another edge type"), std::string::npos)
      << status;
  TypedRows descends({{3, 4}, {5, 6}});
  descends.types[1].indptr[1] = 12;
  EXPECT_EQ(StatusOf(descends, query).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
