#include "common/session/link_lists.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

LinkLists::LinkLists(absl::Span<const uint64_t> counts) {
  uint64_t end = 0;
  for (const uint64_t count : counts) ends_.push_back(end += count);
}

size_t LinkLists::ListOf(uint64_t number) const {
  return static_cast<size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
}

void LinkLists::Group(std::vector<uint64_t>* numbers) const {
  if (size() < 2) return;
  std::vector<std::vector<uint64_t>> by_list(size() + 1);
  for (const uint64_t number : *numbers) {
    by_list[ListOf(number)].push_back(number);
  }
  numbers->clear();
  for (const std::vector<uint64_t>& list : by_list) {
    numbers->insert(numbers->end(), list.begin(), list.end());
  }
}

absl::StatusOr<std::vector<uint64_t>> LinkLists::Ends(
    absl::Span<const int64_t> numbers) const {
  std::vector<uint64_t> ends;
  for (uint64_t i = 0; i < numbers.size(); ++i) {
    const size_t list = ListOf(static_cast<uint64_t>(numbers[i]));
    if (list >= size() || list < ends.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "link ", i, " of the batch is number ", numbers[i],
          "; allowed: one of ", ends_.empty() ? 0 : ends_.back(),
          ", not of an edge type before that of the link before it"));
    }
    ends.resize(list, i);
  }
  ends.resize(size(), numbers.size());
  return ends;
}

}  // namespace tributary
