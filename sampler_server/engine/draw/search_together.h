// Runs many binary searches at once, so that their cache misses overlap.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_SEARCH_TOGETHER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_SEARCH_TOGETHER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/io/prefetch.h"

namespace tributary {

// A search for the place where values of [at, at + left) stop being before a
// target. Requires a range that is not empty. Afterwards `at` points to the
// last value before the target, or to the first value if there is none, and
// `left` is 1.
template <typename T>
struct RangeSearch {
  const T* at;
  uint64_t left;
  T target;

  void PrefetchProbe() const { Prefetch(at + left / 2); }
};

// Advances every search by one probe per round and prefetches the next one.
// Requires that `before(value, target)` is false from some place of the range
// on (otherwise, as in a damaged file, the result is anywhere in the range), at
// most kMost searches, and that their first probes were prefetched.
template <size_t kMost, typename T, typename Before>
void SearchTogether(absl::Span<RangeSearch<T>> searches, Before before) {
  std::array<uint16_t, kMost> open;
  static_assert(kMost <= UINT16_MAX);
  size_t num_open = 0;
  for (size_t i = 0; i < searches.size(); ++i) {
    open[num_open] = static_cast<uint16_t>(i);
    num_open += searches[i].left > 1 ? 1 : 0;
  }
  while (num_open > 0) {
    size_t kept = 0;
    for (size_t i = 0; i < num_open; ++i) {
      RangeSearch<T>& search = searches[open[i]];
      const uint64_t half = search.left / 2;
      search.at += before(search.at[half], search.target) ? half : 0;
      search.left -= half;
      search.PrefetchProbe();
      open[kept] = open[i];
      kept += search.left > 1 ? 1 : 0;
    }
    num_open = kept;
  }
}

// Returns how many values of a finished search's range, which began at `begin`,
// are before the target.
template <typename T, typename Before>
uint64_t CountBefore(const RangeSearch<T>& search, const T* begin,
                     Before before) {
  return static_cast<uint64_t>(search.at - begin) +
         (before(*search.at, search.target) ? 1 : 0);
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_SEARCH_TOGETHER_H_
