#include "trainer_client/core/dist_link_neighbor_loader.h"

#include <utility>
#include <vector>

#include "common/text/status.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

bool IsGiven(const EdgeTypeLinks& links) {
  return !links.edge_type.empty() || !links.input_split.empty() ||
         !links.source.empty() || !links.destination.empty() ||
         !links.edge_id.empty() || !links.edge_label.empty() ||
         !links.edge_label_float.empty() || !links.edge_label_time.empty() ||
         !links.neg_destination.empty() || links.edge_time != nullptr;
}

absl::StatusOr<std::vector<EdgeTypeLinks>> ListsOf(
    const LinkNeighborLoaderOptions& options) {
  const EdgeTypeLinks& links = options;
  if (options.by_edge_type.empty()) return std::vector<EdgeTypeLinks>{links};
  if (!IsGiven(links)) return options.by_edge_type;
  return BadLoaderOption("by_edge_type", "given beside links of one edge type",
                         "one of the two");
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistLoader>> DistLinkNeighborLoader::Create(
    const LinkNeighborLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  LinkOptions link;
  ASSIGN_OR_RETURN(link.lists, ListsOf(options));
  link.negatives = options.neg_sampling;
  link.exclude = options.exclude;
  link.enclosing = options.enclosing;
  link.neighbors = options.neighbors;
  if (options.enclosing) {
    link.neighbors.subgraph.type = SubgraphType::kInduced;
    link.neighbors.draws.disjoint = true;
  }
  return DistLoader::Create(SessionOptions(options.neighbors, std::move(link)),
                            worker, environment);
}

}  // namespace tributary
