#include "partition/format/edge_index.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<EdgeLocation> EdgeIndex::Locate(int64_t edge_id) const {
  const auto id = static_cast<uint64_t>(edge_id);
  if (id >= num_ids()) {
    return absl::OutOfRangeError(absl::StrCat(
        "there is no edge ", edge_id, "; ids are 0 to ", num_ids(), " - 1"));
  }
  const uint64_t position = positions_[id];
  if (position == NoPosition(positions_.wide())) {
    return absl::NotFoundError(absl::StrCat("there is no edge ", edge_id,
                                            "; it was dropped (--dedupe)"));
  }
  const uint32_t partition = wide_ != nullptr ? wide_[id] : narrow_[id];
  if (partition < partition_edges_.size() &&
      position < static_cast<uint64_t>(partition_edges_[partition])) {
    return EdgeLocation{partition, position};
  }
  return absl::DataLossError(
      absl::StrCat("edge_index: edge ", edge_id, " is at position ", position,
                   " of partition ", partition,
                   ", which the graph does not have; the file is damaged"));
}

}  // namespace tributary
