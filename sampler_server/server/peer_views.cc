#include "sampler_server/server/peer_views.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "common/fleet/graph_name.h"
#include "common/status/partition_runs.h"

namespace tributary {
namespace {

// Whether the server has said this itself.
bool IsAnswer(const absl::Status& problem) {
  return problem.ok() || absl::IsFailedPrecondition(problem) ||
         absl::IsNotFound(problem);
}

v1::GraphStatus GraphOf(const GraphSchema& schema, const PeerView& peer) {
  v1::GraphStatus graph;
  graph.set_name(VersionedName(schema.name, schema.content_digest));
  graph.set_layout_digest(schema.layout_digest.data(),
                          schema.layout_digest.size());
  graph.set_num_partitions(schema.num_partitions);
  graph.set_retiring(peer.draining);
  if (!peer.problem.ok()) return graph;
  std::vector<uint32_t> owned(peer.state.partitions().begin(),
                              peer.state.partitions().end());
  std::sort(owned.begin(), owned.end());
  for (const PartitionSpan& run : RunsOf(owned)) {
    graph.add_owned_runs(run.first);
    graph.add_owned_runs(run.last);
  }
  return graph;
}

}  // namespace

void PeerViews::Add(const GraphSchema& schema,
                    const std::vector<PeerView>& peers) {
  for (const PeerView& peer : peers) {
    const auto [it, added] = views_.try_emplace(peer.state.address());
    ServerView& view = it->second;
    view.address = peer.state.address();
    const absl::Status answer =
        IsAnswer(peer.problem) ? absl::OkStatus() : peer.problem;
    if (added || answer.ok()) view.answer = answer;
    if (graphs_) view.graphs.push_back(GraphOf(schema, peer));
  }
}

std::vector<ServerView> PeerViews::Take(const PeerStatuses& statuses,
                                        absl::Time now) {
  std::vector<ServerView> views;
  for (auto& [address, view] : views_) {
    view.status = statuses.Get(address, now);
    view.just_asked = !statuses.settled(now);
    views.push_back(std::move(view));
  }
  views_.clear();
  return views;
}

std::vector<std::string> PeerViews::Silent() const {
  std::vector<std::string> silent;
  for (const auto& [address, view] : views_) {
    if (!view.answer.ok()) silent.push_back(address);
  }
  return silent;
}

}  // namespace tributary
