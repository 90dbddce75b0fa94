// Names ranks in messages.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

// Returns "rank 3", "ranks 1, 2", or the first eight and how many more.
inline std::string RankList(const std::vector<uint32_t>& ranks) {
  constexpr size_t kMost = 8;
  const size_t named = ranks.size() < kMost ? ranks.size() : kMost;
  std::string text = absl::StrCat(
      ranks.size() == 1 ? "rank " : "ranks ",
      absl::StrJoin(ranks.begin(), ranks.begin() + static_cast<long>(named),
                    ", "));
  if (ranks.size() > named) {
    absl::StrAppend(&text, " and ", ranks.size() - named, " more");
  }
  return text;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_RANK_LIST_H_
