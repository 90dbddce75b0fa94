// Lists of partitions or servers in one line of text.
#ifndef TRIBUTARY_CLI_FLEET_NAMED_LIST_H_
#define TRIBUTARY_CLI_FLEET_NAMED_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

// Returns the names separated by commas; of more than 8 the first 8 and the
// number of the others: "0, 1, 2, 3, 4, 5, 6, 7 and 12 more".
template <typename Names>
std::string NamedList(const Names& names) {
  constexpr size_t kMaxNamed = 8;
  if (names.size() <= kMaxNamed) return absl::StrJoin(names, ", ");
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < kMaxNamed) first.push_back(absl::StrCat(name));
  }
  return absl::StrCat(absl::StrJoin(first, ", "), " and ",
                      names.size() - kMaxNamed, " more");
}

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_NAMED_LIST_H_
