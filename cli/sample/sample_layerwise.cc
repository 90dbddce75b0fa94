#include "cli/sample/sample_layerwise.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<LayerwiseOptions> ParseLayerwise(
    const SampleArguments& arguments) {
  LayerwiseOptions layerwise;
  if (arguments.nodes_per_layer.empty()) {
    return UsageError(
        absl::StrCat("--nodes-per-layer is required with --kind layerwise\n"
                     "allowed: a number for each layer, 1 to ",
                     kMaxNodesOfLayer, ": 512,256"));
  }
  for (absl::string_view part :
       absl::StrSplit(arguments.nodes_per_layer, ',')) {
    ASSIGN_OR_RETURN(const uint64_t nodes, ParseWhole("--nodes-per-layer", part,
                                                      1, kMaxNodesOfLayer));
    layerwise.nodes_per_layer.push_back(static_cast<uint32_t>(nodes));
  }
  const auto importance = ParseLayerImportance(arguments.importance);
  if (!importance.ok()) {
    return UsageError(absl::StrCat("--", importance.status().message()));
  }
  layerwise.importance = *importance;
  layerwise.edge_type = arguments.edge_type;
  return layerwise;
}

}  // namespace tributary
