#include "sampler_server/kinds/shared/degree_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random/degree_weight.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// The word whose product with `total` is just `at`.
uint64_t WordOf(uint64_t at, uint64_t total) {
  const unsigned __int128 shifted = static_cast<unsigned __int128>(at) << 64;
  return static_cast<uint64_t>((shifted + total - 1) / total);
}

void SumAll(DegreeTable* table, const IdArray& degrees) {
  for (int calls = 0;; ++calls) {
    const auto done = table->Sum(degrees);
    ASSERT_TRUE(done.ok()) << done.status();
    if (*done) return;
    ASSERT_LT(calls, 1000);
  }
}

// Degrees 2 0 1 5 with power 1: shares 2, none, 1, 5 of 8.
TEST(DegreeTable, EveryShareIsItsNodes) {
  const std::vector<uint32_t> degrees = {2, 0, 1, 5};
  const IdArray array{absl::MakeConstSpan(degrees)};
  DegreeTable table(4, 8, kWholePower);
  SumAll(&table, array);
  const uint64_t total = 8 * 65536;
  const auto draw = [&](uint64_t at) {
    return table.Draw(array, WordOf(at, total));
  };
  EXPECT_EQ(draw(0), 0);
  EXPECT_EQ(draw(2 * 65536 - 1), 0);
  EXPECT_EQ(draw(2 * 65536), 2);
  EXPECT_EQ(draw(3 * 65536 - 1), 2);
  EXPECT_EQ(draw(3 * 65536), 3);
  EXPECT_EQ(draw(total - 1), 3);
}

// Against a walk over all nodes, with blocks that end amid them.
TEST(DegreeTable, ManyBlocksAreOneList) {
  std::vector<uint64_t> degrees;
  uint64_t edges = 0, total = 0;
  const uint32_t power = DegreePower(0.75);
  for (uint64_t v = 0; v < 300'000; ++v) {
    degrees.push_back(v % 7 == 0 ? 0 : v % 1000 == 1 ? 5000 + v : v % 5);
    edges += degrees.back();
    total += DegreeWeight(degrees.back(), power);
  }
  const IdArray array{absl::MakeConstSpan(degrees)};
  DegreeTable table(degrees.size(), edges, power);
  ASSERT_FALSE(*table.Sum(array));  // a piece
  SumAll(&table, array);
  uint64_t before = 0;
  for (uint64_t v = 0; v < degrees.size(); ++v) {
    const uint64_t weight = DegreeWeight(degrees[v], power);
    if (weight > 0 && (v % 37 == 1 || v % 512 < 2 || v % 512 == 511)) {
      EXPECT_EQ(table.Draw(array, WordOf(before, total)), v);
      EXPECT_EQ(table.Draw(array, WordOf(before + weight - 1, total)), v);
    }
    before += weight;
  }
}

TEST(DegreeTable, DegreesOfOtherEdgesAreRefused) {
  const std::vector<uint32_t> degrees = {2, 0, 1, 5};
  const IdArray array{absl::MakeConstSpan(degrees)};
  const auto refusal = [&](uint64_t nodes, uint64_t edges) {
    DegreeTable table(nodes, edges, 1);
    const auto status = table.Sum(array).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(table.Sum(array).status(), status);  // for good
    return std::string(status.message());
  };
  EXPECT_THAT(refusal(4, 9), HasSubstr("of 8 edges, of which there are 9"));
  EXPECT_THAT(refusal(4, 7), HasSubstr("node 3"));
  EXPECT_THAT(refusal(5, 8), HasSubstr("of 4 nodes, of which there are 5"));
}

}  // namespace
}  // namespace tributary
