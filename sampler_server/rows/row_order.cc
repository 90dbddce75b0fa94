#include "sampler_server/rows/row_order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tributary {
namespace {

constexpr int kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

// to: `from`, by the digit of its rows at `shift`; equal ones stay in order.
void SortByDigit(absl::Span<const uint64_t> rows, int shift,
                 absl::Span<const uint32_t> from, absl::Span<uint32_t> to) {
  const auto digit = [&](uint32_t index) {
    return (rows[index] >> shift) & (kDigits - 1);
  };
  std::array<uint32_t, kDigits> place{};
  for (const uint32_t index : from) ++place[digit(index)];
  std::exclusive_scan(place.begin(), place.end(), place.begin(), 0u);
  for (const uint32_t index : from) to[place[digit(index)]++] = index;
}

}  // namespace

std::vector<uint32_t> RowOrder(absl::Span<const uint64_t> rows) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  if (std::is_sorted(rows.begin(), rows.end())) return order;
  const uint64_t largest = *std::max_element(rows.begin(), rows.end());
  std::vector<uint32_t> sorted(rows.size());
  for (int shift = 0; shift < 64 && largest >> shift != 0;
       shift += kDigitBits) {
    SortByDigit(rows, shift, order, absl::MakeSpan(sorted));
    order.swap(sorted);
  }
  return order;
}

}  // namespace tributary
