// Sorts large arrays, and can be stopped meanwhile.
#ifndef TRIBUTARY_COMMON_RUNTIME_STOPPABLE_SORT_H_
#define TRIBUTARY_COMMON_RUNTIME_STOPPABLE_SORT_H_

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/runtime/stop_check.h"

namespace tributary {
namespace stoppable_sort_internal {

constexpr std::ptrdiff_t kAtOnce = 1 << 15;  // a few milliseconds of std::sort

// Moves values that are less than `pivot` to the front. Returns the first of
// the others, or null if it was stopped.
template <typename T, typename Less>
T* Partition(T* begin, T* end, const T& pivot, Less less, StopCheck* stop) {
  while (begin < end) {
    T* const piece = begin + std::min(kAtOnce, end - begin);
    T* const first = begin;
    while (begin < piece && less(*begin, pivot)) ++begin;
    if (ShouldStop(stop, static_cast<uint64_t>(begin - first))) return nullptr;
    if (begin == piece) continue;
    std::ptrdiff_t seen = 1;
    while (begin < --end && !less(*end, pivot)) {
      if (++seen % kAtOnce == 0 && ShouldStop(stop, kAtOnce)) return nullptr;
    }
    if (ShouldStop(stop, static_cast<uint64_t>(seen % kAtOnce))) return nullptr;
    if (begin < end) std::swap(*begin, *end);
  }
  return begin;
}

}  // namespace stoppable_sort_internal

// Sorts [begin, end) by `less`, in place, by quicksort down to pieces that
// std::sort takes. Returns false if it was stopped; the values are in some
// order then. Values that are bad for quicksort are left to std::sort as a
// whole, which cannot be stopped.
template <typename T, typename Less>
bool StoppableSort(T* begin, T* end, Less less, StopCheck* stop,
                   int depth = 48) {
  using stoppable_sort_internal::kAtOnce;
  while (end - begin > kAtOnce && depth-- > 0) {
    T* const middle = begin + (end - begin) / 2;
    const T a = *begin, b = *middle, c = *(end - 1);
    const T low = std::min(a, b, less), high = std::max(a, b, less);
    const T pivot = std::max(low, std::min(high, c, less), less);
    T* const split =
        stoppable_sort_internal::Partition(begin, end, pivot, less, stop);
    if (split == nullptr) return false;
    // Values equal to the pivot need no sorting.
    T* const after = stoppable_sort_internal::Partition(
        split, end, pivot,
        [&less](const T& x, const T& y) { return !less(y, x); }, stop);
    if (after == nullptr) return false;
    if (split - begin < end - after) {
      if (!StoppableSort(begin, split, less, stop, depth)) return false;
      begin = after;
    } else {
      if (!StoppableSort(after, end, less, stop, depth)) return false;
      end = split;
    }
  }
  std::sort(begin, end, less);
  return !ShouldStop(stop, static_cast<uint64_t>(end - begin));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_STOPPABLE_SORT_H_
