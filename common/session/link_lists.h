// Links of several edge types in one list: which are whose.
#ifndef TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_
#define TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// The list is those of the edge types one after the other, so that a number in
// it tells the type.
class LinkLists {
 public:
  LinkLists() = default;
  explicit LinkLists(absl::Span<const uint64_t> counts);

  size_t size() const { return ends_.size(); }
  // The number of a list's first link in all of them.
  uint64_t first(size_t list) const { return list == 0 ? 0 : ends_[list - 1]; }
  // size() for a number that is in none.
  size_t ListOf(uint64_t number) const;

  // The links of a batch as it holds them: list by list, in each as they came.
  void Group(std::vector<uint64_t>* numbers) const;
  // Where each list's links end among a batch's. INVALID_ARGUMENT where they
  // are not list by list, or in none.
  absl::StatusOr<std::vector<uint64_t>> Ends(
      absl::Span<const int64_t> numbers) const;

 private:
  std::vector<uint64_t> ends_;  // of each list in all of them
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LINK_LISTS_H_
