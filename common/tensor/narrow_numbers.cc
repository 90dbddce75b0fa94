#include "common/tensor/narrow_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tributary {
namespace {

static_assert(std::endian::native == std::endian::little,
              "halves are copied to and from memory as they are");

// Numbers of a step: a loop of fixed length becomes vector instructions.
constexpr size_t kStep = 16;

}  // namespace

bool FitNarrow(absl::Span<const uint64_t> numbers) {
  uint64_t bits = 0;
  for (size_t i = 0; i < numbers.size();) {
    const size_t end = std::min(i + 4096, numbers.size());
    for (; i + kStep <= end; i += kStep) {
      for (size_t j = 0; j < kStep; ++j) bits |= numbers[i + j];
    }
    for (; i < end; ++i) bits |= numbers[i];
    if (bits > UINT32_MAX) return false;
  }
  return true;
}

uint8_t* WriteNarrow(absl::Span<const uint64_t> numbers, uint8_t* to) {
  std::array<uint32_t, kStep> low;
  while (!numbers.empty()) {
    const size_t n = std::min(numbers.size(), kStep);
    const uint64_t* const from = numbers.data();
    if (n == kStep) {
      for (size_t j = 0; j < kStep; ++j)
        low[j] = static_cast<uint32_t>(from[j]);
    } else {
      for (size_t j = 0; j < n; ++j) low[j] = static_cast<uint32_t>(from[j]);
    }
    std::memcpy(to, low.data(), n * sizeof(uint32_t));
    to += n * sizeof(uint32_t);
    numbers.remove_prefix(n);
  }
  return to;
}

const uint8_t* ReadNarrow(const uint8_t* from, absl::Span<uint64_t> numbers) {
  std::array<uint32_t, kStep> low;
  while (!numbers.empty()) {
    const size_t n = std::min(numbers.size(), kStep);
    std::memcpy(low.data(), from, n * sizeof(uint32_t));
    uint64_t* const to = numbers.data();
    if (n == kStep) {
      for (size_t j = 0; j < kStep; ++j) to[j] = low[j];
    } else {
      for (size_t j = 0; j < n; ++j) to[j] = low[j];
    }
    from += n * sizeof(uint32_t);
    numbers.remove_prefix(n);
  }
  return from;
}

}  // namespace tributary
