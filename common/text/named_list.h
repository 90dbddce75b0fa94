// Lists of partitions, servers or jobs in one line of text.
#ifndef TRIBUTARY_COMMON_TEXT_NAMED_LIST_H_
#define TRIBUTARY_COMMON_TEXT_NAMED_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

// Returns the names separated by commas; of more than `most` the first ones and
// the number of the others: "0, 1, 2, 3, 4, 5, 6, 7 and 12 more".
template <typename Names>
std::string NamedList(const Names& names, size_t most = 8) {
  if (names.size() <= most) return absl::StrJoin(names, ", ");
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < most) first.push_back(absl::StrCat(name));
  }
  return absl::StrCat(absl::StrJoin(first, ", "), " and ", names.size() - most,
                      " more");
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_NAMED_LIST_H_
