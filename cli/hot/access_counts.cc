#include "cli/hot/access_counts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {

AccessCounts::AccessCounts(const GraphSchema& schema) {
  for (const NodeTypeSchema& type : schema.node_types) {
    tensor_.push_back(schema.heterogeneous ? absl::StrCat("n_id/", type.name)
                                           : "n_id");
    counts_.emplace_back(static_cast<size_t>(type.num_nodes));
  }
}

absl::Status AccessCounts::Add(const BatchView& batch) {
  for (size_t t = 0; t < counts_.size(); ++t) {
    const TensorView* n_id = batch.Find(tensor_[t]);
    if (n_id == nullptr) continue;  // the batch has no nodes of the type
    for (const int64_t id : n_id->As<int64_t>()) {
      if (id < 0 || id >= static_cast<int64_t>(counts_[t].size())) {
        return absl::DataLossError(
            absl::StrCat(tensor_[t], " of a batch holds ", id, " of ",
                         counts_[t].size(), " nodes: verify the graph"));
      }
      uint32_t& count = counts_[t][static_cast<size_t>(id)];
      if (count != UINT32_MAX) ++count;
    }
  }
  return absl::OkStatus();
}

void AccessCounts::Clear() {
  for (std::vector<uint32_t>& type : counts_) {
    std::fill(type.begin(), type.end(), 0u);
  }
}

}  // namespace tributary
