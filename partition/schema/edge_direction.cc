#include "partition/schema/edge_direction.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<std::vector<int>> DrawnTypes(const GraphSchema& schema,
                                            int edge_type,
                                            EdgeDirection direction) {
  if (direction == EdgeDirection::kIn) return std::vector<int>{edge_type};
  const int reverse = schema.ReverseOf(edge_type);
  if (reverse < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "edge_dir: ", direction == EdgeDirection::kOut ? "out" : "both",
        ", but the edges of ", schema.edge_types[edge_type].name(),
        " are stored by their destinations alone; allowed: in, or a graph "
        "that was partitioned with ",
        schema.heterogeneous ? "--add-reverse" : "--out-edges"));
  }
  if (direction == EdgeDirection::kOut) return std::vector<int>{reverse};
  return std::vector<int>{edge_type, reverse};
}

absl::Status CheckDrawnOnce(const GraphSchema& schema,
                            const std::vector<int>& edge_types,
                            EdgeDirection direction) {
  if (direction != EdgeDirection::kBoth) return absl::OkStatus();
  for (const int type : edge_types) {
    const int reverse = schema.ReverseOf(type);
    if (!schema.edge_types[type].reverse ||
        std::find(edge_types.begin(), edge_types.end(), reverse) ==
            edge_types.end()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "edge_dir: both of ", schema.edge_types[reverse].name(), " and of ",
        schema.edge_types[type].name(),
        ", which are the same edges; allowed: num_neighbors of one of them 0"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
