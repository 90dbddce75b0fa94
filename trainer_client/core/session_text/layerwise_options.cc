// The options of layer-wise sampling.
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/text/parse_number.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

std::string LayersAllowed() {
  return absl::StrCat("a number for each layer, 1 to ", kMaxNodesOfLayer,
                      ": 512,256");
}

absl::Status ReadLayers(absl::string_view text, SessionDraft& draft) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const auto nodes = ParseNumber<uint32_t>(part);
    if (!nodes || *nodes < 1 || *nodes > kMaxNodesOfLayer) {
      return RefuseOption("nodes_per_layer", text, LayersAllowed());
    }
    draft.layerwise.nodes_per_layer.push_back(*nodes);
  }
  return absl::OkStatus();
}

void AddLayerwiseOptions(std::vector<SessionOption>& table) {
  table.push_back({{"nodes_per_layer",
                    "LIST",
                    "Nodes that each layer draws, the layer next to the inputs "
                    "first: 512,256",
                    {"layerwise"}},
                   OptionForm::kText,
                   ',',
                   ReadLayers,
                   [](const SessionDraft& draft) {
                     return absl::StrJoin(draft.layerwise.nodes_per_layer, ",");
                   }});
  table.push_back(ChoiceOption(
      {"importance",
       "HOW",
       "Weights of the nodes drawn: ladies (squares of the normalised "
       "adjacency), uniform, or fastgcn (over all nodes, by out-edges; needs a "
       "graph partitioned with --degrees)",
       {"layerwise"}},
      {"ladies", "uniform", "fastgcn"},
      [](auto& draft) -> auto& { return draft.layerwise.importance; }));
}

absl::StatusOr<KindOptions> FinishLayerwise(const SessionText&,
                                            SessionDraft& draft) {
  if (draft.layerwise.nodes_per_layer.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--nodes-per-layer is required with --kind layerwise\nallowed: ",
        LayersAllowed()));
  }
  draft.layerwise.edge_type = draft.edge_type;
  return KindOptions(draft.layerwise);
}

absl::Status DescribeLayerwise(const KindOptions& options,
                               SessionDraft& draft) {
  draft.layerwise = std::get<LayerwiseOptions>(options);
  draft.edge_type = draft.layerwise.edge_type;
  return absl::OkStatus();
}

}  // namespace

DescribedKind DescribedLayers() {
  return {"layerwise", AddLayerwiseOptions, FinishLayerwise, DescribeLayerwise};
}

}  // namespace tributary
