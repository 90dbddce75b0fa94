#include "common/random/degree_weight.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status CheckWeighedDegrees(absl::string_view option,
                                 absl::string_view instead,
                                 absl::string_view edge_type, bool degrees,
                                 int64_t num_edges) {
  if (!degrees) {
    return absl::InvalidArgumentError(absl::StrCat(
        option, ": the graph stores no degrees of ", edge_type,
        "; allowed: ", instead, ", or a graph partitioned with --degrees"));
  }
  if (num_edges > 0 && static_cast<uint64_t>(num_edges) < kMaxWeighedEdges) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": ", edge_type, " has ", num_edges, " edges; allowed: ", instead,
      ", or 1 to ", kMaxWeighedEdges - 1, " edges"));
}

}  // namespace tributary
