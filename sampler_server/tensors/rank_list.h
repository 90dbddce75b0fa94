// Names ranks in messages.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/named_list.h"

namespace tributary {

// Returns "rank 3", "ranks 1, 2", or the first eight and how many more.
inline std::string RankList(const std::vector<uint32_t>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ", NamedList(ranks));
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_
