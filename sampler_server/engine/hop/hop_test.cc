#include "sampler_server/engine/hop/hop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/session/limits.h"

namespace tributary {
namespace {

using Ids = std::vector<uint64_t>;

constexpr PhiloxKey kFirstKey{0xa9034aaf, 0x0c819c21};

// Nodes with these degrees; edge i leads to node i modulo 100,000 and has id
// 1000 + i.
class Star {
 public:
  explicit Star(const std::vector<uint64_t>& degrees) {
    for (uint64_t d : degrees) indptr.push_back(indptr.back() + d);
    for (uint64_t i = 0; i < indptr.back(); ++i) {
      indices.push_back(static_cast<uint32_t>(i % 100'000));
      ids.push_back(static_cast<uint32_t>(1000 + i));
    }
  }
  EdgePartition view() const {
    return {indptr,
            IdArray(absl::MakeConstSpan(indices)),
            IdArray(absl::MakeConstSpan(ids)),
            {}};
  }
  std::vector<uint64_t> indptr = {0};
  std::vector<uint32_t> indices, ids;
};

struct Asked {
  int32_t fanout = 0;
  bool replace = false;
  Ids rows;
  std::vector<uint32_t> numbers;
  uint64_t skip = 0, max = UINT64_MAX;
};

absl::StatusOr<HopEdges> Sample(const Star& star, const Asked& asked,
                                uint64_t num_src = 100'000) {
  HopQuery query;
  query.key = kFirstKey;
  query.fanout = asked.fanout;
  query.replace = asked.replace;
  query.want_positions = true;
  query.rows = asked.rows;
  query.local_numbers = asked.numbers;
  query.skip_edges = asked.skip;
  query.max_edges = asked.max;
  HopEdges out;
  out.neighbors = {1, 2, 3};  // what was there before does not stay
  const absl::Status status = SampleHop(star.view(), num_src, query, &out);
  if (!status.ok()) return status;
  return out;
}

// A chunk of edges and more, and a few; for every width of ids.
TEST(SampleHop, EdgeIdsAreNotHeldUnlessWanted) {
  const Star star({300, 0, 5, 40});
  for (const int32_t fanout : {-1, 3, 200}) {
    HopQuery query;
    query.key = kFirstKey;
    query.fanout = fanout;
    const Ids rows = {0, 1, 2, 3};
    const std::vector<uint32_t> numbers = {5, 6, 7, 8};
    query.rows = rows;
    query.local_numbers = numbers;
    for (const bool exact : {true, false}) {
      query.exact_memory = exact;
      query.want_edge_ids = true;
      HopEdges with, without;
      ASSERT_TRUE(SampleHop(star.view(), 100'000, query, &with).ok());
      query.want_edge_ids = false;
      ASSERT_TRUE(SampleHop(star.view(), 100'000, query, &without).ok());
      EXPECT_EQ(without.counts, with.counts);
      EXPECT_EQ(without.neighbors, with.neighbors);
      EXPECT_EQ(with.edge_ids.size(), with.neighbors.size());
      EXPECT_EQ(without.edge_ids.capacity(), 0);
    }
  }
}

// Vectors of docs/sampling.md: first key, local number 5.
TEST(SampleHop, Vectors) {
  EXPECT_EQ(Sample(Star({20}), {6, false, {0}, {5}})->neighbors,
            (Ids{1, 3, 4, 5, 8, 17}));
  EXPECT_EQ(Sample(Star({100'000}), {4, false, {0}, {5}})->neighbors,
            (Ids{19756, 28067, 40383, 42796}));
  EXPECT_EQ(Sample(Star({3}), {6, true, {0}, {5}})->neighbors,
            (Ids{0, 0, 0, 0, 1, 1}));
}

TEST(SampleHop, AllNoneAndIsolated) {
  const Star star({3, 0, 2});
  const auto all = Sample(star, {-1, true, {0, 1, 2}, {0, 1, 2}});
  EXPECT_EQ(all->counts, (std::vector<uint32_t>{3, 0, 2}));
  EXPECT_EQ(all->neighbors, (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(all->edge_ids,
            (std::vector<int64_t>{1000, 1001, 1002, 1003, 1004}));
  EXPECT_EQ(all->positions, (Ids{0, 1, 2, 3, 4}));
  const auto none = Sample(star, {0, false, {0, 1, 2}, {0, 1, 2}});
  EXPECT_EQ(none->counts, (std::vector<uint32_t>{0, 0, 0}));
  // Fewer than wanted: all without replacement, all draws with it.
  EXPECT_EQ(Sample(star, {5, false, {2}, {0}})->neighbors, (Ids{3, 4}));
  EXPECT_EQ(Sample(star, {5, true, {2}, {0}})->counts[0], 5u);
  EXPECT_EQ(Sample(star, {5, true, {1}, {0}})->counts[0], 0u);
}

// A draw depends on key and local number, not on who else is asked for, where
// the row lies, or how wide ids are.
TEST(SampleHop, DependsOnNothingElse) {
  std::vector<uint64_t> degrees(200, 50);
  Star star(degrees);
  Asked many{7, false, {}, {}};
  for (uint32_t i = 0; i < 200; ++i) {
    many.rows.push_back(199 - i);
    many.numbers.push_back(i * 3);
  }
  const auto together = Sample(star, many);
  Ids one_by_one;
  for (uint32_t i = 0; i < 200; ++i) {
    const auto one = Sample(star, {7, false, {199 - i}, {i * 3}});
    one_by_one.insert(one_by_one.end(), one->neighbors.begin(),
                      one->neighbors.end());
  }
  EXPECT_EQ(together->neighbors, one_by_one);
}

// Word 2 of the counter. Tree 0 is what there is without trees; a tree's draws
// are its own, in a lane as well as alone.
TEST(SampleHop, TreesDrawForThemselves) {
  const Star star({20, 20, 20, 70'000});
  for (const int32_t fanout : {6, 40}) {
    HopQuery query;
    query.key = kFirstKey;
    query.fanout = fanout;
    query.replace = true;
    const Ids rows = {0, 0, 0, 3};
    const std::vector<uint32_t> numbers = {5, 5, 5, 5}, trees = {0, 1, 7, 7};
    query.rows = rows;
    query.local_numbers = numbers;
    query.trees = trees;
    HopEdges out;
    ASSERT_TRUE(SampleHop(star.view(), 100'000, query, &out).ok());
    Ids expected;
    for (size_t i = 0; i < rows.size(); ++i) {
      PhiloxStream words(kFirstKey, 5, trees[i]);
      Ids drawn;
      for (int32_t j = 0; j < fanout; ++j) {
        drawn.push_back(i < 3 ? words.BelowNarrow(j, 20)
                              : 60 + words.BelowWide(j, 70'000));
      }
      std::sort(drawn.begin(), drawn.end());
      expected.insert(expected.end(), drawn.begin(), drawn.end());
    }
    EXPECT_EQ(out.neighbors, expected);
    query.trees = absl::MakeConstSpan(trees).first(3);
    EXPECT_EQ(SampleHop(star.view(), 100'000, query, &out).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// Cut anywhere and continued, the edges are the same.
TEST(SampleHop, ContinuationsAddUp) {
  const Star star({5, 0, 700, 1, 0, 90, 0});
  for (const int32_t fanout : {-1, 3, 80}) {
    const Asked whole{
        fanout, false, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6}};
    const auto want = Sample(star, whole);
    for (const uint64_t piece : {1, 2, 3, 7, 128, 129, 5000}) {
      Ids neighbors;
      std::vector<uint32_t> counts;
      size_t next = 0;
      uint64_t skip = 0;
      while (next < 7) {
        Asked part = whole;
        part.rows.erase(part.rows.begin(), part.rows.begin() + next);
        part.numbers.erase(part.numbers.begin(), part.numbers.begin() + next);
        part.skip = skip;
        part.max = piece;
        const auto got = Sample(star, part);
        ASSERT_TRUE(got.ok()) << got.status();
        neighbors.insert(neighbors.end(), got->neighbors.begin(),
                         got->neighbors.end());
        ASSERT_FALSE(got->counts.empty());
        ASSERT_LE(got->neighbors.size(), piece);
        for (size_t i = 0; i < got->counts.size(); ++i) {
          if (i == 0 && skip > 0) {
            counts.back() += got->counts[0];
          } else {
            counts.push_back(got->counts[i]);
          }
        }
        next = counts.size() - (got->last_is_partial ? 1 : 0);
        skip = got->last_is_partial ? counts.back() : 0;
      }
      EXPECT_EQ(neighbors, want->neighbors) << fanout << " by " << piece;
      EXPECT_EQ(counts, want->counts);
    }
  }
}

TEST(SampleHop, RefusesWhatLiesOutside) {
  const Star star({3, 2});
  using Code = absl::StatusCode;
  EXPECT_EQ(Sample(star, {2, false, {2}, {0}}).status().code(),
            Code::kOutOfRange);
  EXPECT_EQ(Sample(star, {2, false, {UINT64_MAX}, {0}}).status().code(),
            Code::kOutOfRange);
  EXPECT_EQ(Sample(star, {2, false, {0}, {0}, 3}).status().code(),
            Code::kOutOfRange);
  EXPECT_EQ(Sample(star, {-2, false, {0}, {0}}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Sample(star, {kMaxFanout + 1, true, {0}, {0}}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Sample(star, {2, false, {0, 1}, {0}}).status().code(),
            Code::kInvalidArgument);
}

TEST(SampleHop, DamagedArraysAreDataLoss) {
  const Asked asked{-1, false, {0, 1}, {0, 1}};
  EXPECT_EQ(Sample(Star({3, 2}), asked, /*num_src=*/4).status().code(),
            absl::StatusCode::kDataLoss);
  Star descending({3, 2});
  descending.indptr = {0, 4, 3};
  EXPECT_EQ(Sample(descending, asked).status().code(),
            absl::StatusCode::kDataLoss);
  Star beyond({3, 2});
  beyond.indptr = {0, 3, 6};
  EXPECT_EQ(Sample(beyond, asked).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
