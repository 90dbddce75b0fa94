#include "partition/schema/stored_degrees.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status CheckDegreesStored(const GraphSchema& schema,
                                absl::Span<const int> edge_types) {
  if (edge_types.empty()) {
    return absl::InvalidArgumentError(
        "collect_degrees: true, but the session's batches have no edges; "
        "allowed: false");
  }
  for (const int type : edge_types) {
    if (schema.edge_types[type].degrees) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "collect_degrees: true, but graph '", schema.name,
        "' stores no degrees of ", schema.edge_types[type].name(),
        "; allowed: false, or a graph partitioned with --degrees (tributary "
        "partition --degrees)"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
