// Which links of one list are of which edge type.
#ifndef TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_
#define TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// A list of links that consists of one list for each of several edge types, one
// after the other: a link's index gives its type. Immutable; thread-safe.
class LinkLists {
 public:
  LinkLists() = default;  // of one type, or of nodes: no lists
  // `counts`: the number of links of each type.
  explicit LinkLists(absl::Span<const uint64_t> counts);

  size_t size() const { return ends_.size(); }
  // Returns the index of a list's first link.
  uint64_t first(size_t list) const { return list == 0 ? 0 : ends_[list - 1]; }
  // Returns the list of the link with this index; size() if it is in none.
  size_t ListOf(uint64_t number) const;

  // Sorts the indices of a batch's links by list, stably: the order in a batch.
  void Group(std::vector<uint64_t>* numbers) const;
  // Returns where each list's links end in a batch with these indices.
  // INVALID_ARGUMENT if they are not ordered by list, or one is in no list.
  absl::StatusOr<std::vector<uint64_t>> Ends(
      absl::Span<const int64_t> numbers) const;

 private:
  std::vector<uint64_t> ends_;  // the index after each list's last link
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_
