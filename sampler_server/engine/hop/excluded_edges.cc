#include "sampler_server/engine/hop/excluded_edges.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

template <typename T>
absl::Status SortWithoutDoubles(std::vector<T>& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  constexpr size_t kMost = ExcludedEdges::kMostOfNode;
  for (size_t i = kMost; i < edges.size(); ++i) {
    if (edges[i].node != edges[i - kMost].node) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a batch excludes more than ", kMost,
                     " edges of one node; lower batch_size"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExcludedEdges::Finish() {
  RETURN_IF_ERROR(SortWithoutDoubles(by_id));
  return SortWithoutDoubles(by_source);
}

}  // namespace tributary
