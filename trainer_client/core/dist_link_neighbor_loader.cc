#include "trainer_client/core/dist_link_neighbor_loader.h"

#include <utility>

namespace tributary {

absl::StatusOr<std::unique_ptr<DistNeighborLoader>>
DistLinkNeighborLoader::Create(const LinkNeighborLoaderOptions& options,
                               const RemoteDistSamplingWorkerOptions& worker,
                               const LoaderEnvironment& environment) {
  if (!options.edge_label.empty() && !options.edge_label_float.empty()) {
    return absl::InvalidArgumentError(
        "LinkNeighborLoaderOptions.edge_label_float is given beside "
        "edge_label; allowed: one of the two");
  }
  if (!options.neighbors.input_time.empty()) {
    return absl::InvalidArgumentError(
        "LinkNeighborLoaderOptions.neighbors.input_time is given; allowed: "
        "none, but edge_label_time");
  }
  NeighborLoaderOptions session = options.neighbors;
  LinkRequest& link = session.link.emplace();
  link.edge_type = options.edge_type;
  link.split = options.input_split;
  link.links.source = options.source;
  link.links.destination = options.destination;
  if (!options.edge_label.empty()) link.links.SetLabels(options.edge_label);
  if (!options.edge_label_float.empty()) {
    link.links.SetLabels(options.edge_label_float);
  }
  link.negatives = options.neg_sampling;
  link.neg_destination = options.neg_destination;
  link.exclude = options.exclude;
  link.enclosing = options.enclosing;
  if (options.enclosing) {
    session.subgraph.type = SubgraphType::kInduced;
    session.draws.disjoint = true;
  }
  session.input_time = options.edge_label_time;
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
