#include "trainer_client/core/dist_link_neighbor_loader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/session/link_request.h"

namespace tributary {
namespace {

bool IsGiven(const EdgeTypeLinks& links) {
  return !links.edge_type.empty() || !links.input_split.empty() ||
         !links.source.empty() || !links.destination.empty() ||
         !links.edge_id.empty() || !links.edge_label.empty() ||
         !links.edge_label_float.empty() || !links.edge_label_time.empty() ||
         !links.neg_destination.empty();
}

absl::StatusOr<LinkList> ListOf(const EdgeTypeLinks& links) {
  if (!links.edge_label.empty() && !links.edge_label_float.empty()) {
    return BadLinkOption("edge_label_float", "given beside edge_label",
                         "one of the two");
  }
  LinkList list;
  list.edge_type = links.edge_type;
  list.split = links.input_split;
  list.links.source = links.source;
  list.links.destination = links.destination;
  list.links.edge_id = links.edge_id;
  if (!links.edge_label.empty()) list.links.SetLabels(links.edge_label);
  if (!links.edge_label_float.empty()) {
    list.links.SetLabels(links.edge_label_float);
  }
  list.time = links.edge_label_time;
  list.neg_destination = links.neg_destination;
  return list;
}

absl::StatusOr<std::vector<LinkList>> ListsOf(
    const LinkNeighborLoaderOptions& options) {
  std::vector<LinkList> lists;
  if (options.by_edge_type.empty()) {
    ASSIGN_OR_RETURN(lists.emplace_back(), ListOf(options));
    return lists;
  }
  if (IsGiven(options)) {
    return BadLinkOption("by_edge_type", "given beside links of one edge type",
                         "one of the two");
  }
  for (const EdgeTypeLinks& links : options.by_edge_type) {
    ASSIGN_OR_RETURN(lists.emplace_back(), ListOf(links));
  }
  return lists;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistNeighborLoader>>
DistLinkNeighborLoader::Create(const LinkNeighborLoaderOptions& options,
                               const RemoteDistSamplingWorkerOptions& worker,
                               const LoaderEnvironment& environment) {
  NeighborLoaderOptions session = options.neighbors;
  LinkRequest& link = session.link.emplace();
  ASSIGN_OR_RETURN(link.lists, ListsOf(options));
  link.negatives = options.neg_sampling;
  link.exclude = options.exclude;
  link.enclosing = options.enclosing;
  if (options.enclosing) {
    session.subgraph.type = SubgraphType::kInduced;
    session.draws.disjoint = true;
  }
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
