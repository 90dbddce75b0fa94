#include "tests/statistics/row_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tributary {
namespace {

constexpr int64_t kNodes = 1000;

PhiloxKey KeyOf(uint64_t batch) {
  return DefinedKey({.random_seed = 3, .batch = batch});
}

}  // namespace

void ForEachKernelDraw(const HopRows& rows, const HopQuery& query,
                       int64_t draws,
                       const std::function<void(const Positions&)>& see,
                       int64_t time_bound) {
  const std::vector<uint64_t> row(kNodes, 0);
  std::vector<uint32_t> numbers(kNodes);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<int64_t> bounds(kNodes, time_bound);
  for (uint64_t batch = 0; draws > 0; ++batch) {
    const auto n = static_cast<size_t>(std::min(draws, kNodes));
    HopQuery asked = query;
    asked.key = KeyOf(batch);
    asked.rows = absl::MakeConstSpan(row).first(n);
    asked.local_numbers = absl::MakeConstSpan(numbers).first(n);
    if (query.time != TimeMode::kNone) {
      asked.time_bound = absl::MakeConstSpan(bounds).first(n);
    }
    const auto drawn = PositionsDrawn(rows, asked);
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    for (const Positions& positions : *drawn) see(positions);
    draws -= static_cast<int64_t>(n);
  }
}

void ForEachDefinedDraw(const DrawOnce& draw, int64_t draws,
                        const std::function<void(const Positions&)>& see) {
  for (int64_t i = 0; i < draws; ++i) {
    see(draw(DefinedWords(KeyOf(static_cast<uint64_t>(i / kNodes)),
                          static_cast<uint32_t>(i % kNodes))));
  }
}

}  // namespace tributary
