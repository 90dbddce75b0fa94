#include "sampler_server/engine/hop_round.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "sampler_server/engine/draw.h"
#include "sampler_server/engine/frontier.h"

namespace tributary {
namespace {

template <typename T>
void Append(std::vector<T>& to, std::vector<T>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

// A node that was cut goes back to those that have no answer.
void DropPartial(HopEdges& reply) {
  if (!reply.last_is_partial) return;
  const size_t kept = reply.neighbors.size() - reply.counts.back();
  reply.counts.pop_back();
  reply.neighbors.resize(kept);
  reply.edge_ids.resize(kept);
  if (!reply.positions.empty()) reply.positions.resize(kept);
  reply.last_is_partial = false;
}

}  // namespace

HopRound::HopRound(const GraphSchema& schema, const SamplingPlan& plan,
                   int planned, const Draw& draw,
                   absl::Span<const uint64_t> frontier, uint32_t first_local)
    : plan_(plan),
      planned_(planned),
      draw_(draw),
      num_src_nodes_(static_cast<uint64_t>(
          schema.node_types[plan.edge_types[planned].src_type].num_nodes)),
      first_local_(first_local) {
  NodesByPartition parted = GroupByPartition(
      schema.node_types[plan.edge_types[planned].dst_type], frontier);
  share_of_ = std::move(parted.group_of);
  for (PartitionNodes& group : parted.groups) {
    for (uint32_t& number : group.index) number += first_local;
    PartitionShare& share = shares_.emplace_back();
    share.partition = group.partition;
    share.local_numbers = std::move(group.index);
    share.rows = std::move(group.rows);
  }
}

uint64_t HopRound::MostEdges(const PartitionShare& share) const {
  if (draw_.fanout < 0) return std::numeric_limits<uint64_t>::max();
  return share.unanswered() * static_cast<uint64_t>(draw_.fanout);
}

HopQuery HopRound::LocalQuery(const PartitionShare& share,
                              uint64_t max_edges) const {
  HopQuery query;
  query.key = draw_.key;
  query.fanout = draw_.fanout;
  query.replace = draw_.replace;
  query.want_positions = draw_.want_positions;
  query.local_numbers =
      absl::MakeConstSpan(share.local_numbers).subspan(share.answered());
  query.rows = absl::MakeConstSpan(share.rows).subspan(share.answered());
  query.max_edges = max_edges;
  return query;
}

RemoteHop HopRound::RemoteQuery(const PartitionShare& share) const {
  RemoteHop hop;
  hop.edge_type = static_cast<uint32_t>(type().edge_type);
  hop.partition = share.partition;
  hop.key = draw_.key;
  hop.fanout = draw_.fanout;
  hop.replace = draw_.replace;
  hop.want_positions = draw_.want_positions;
  const size_t from = share.answered();
  hop.local_numbers.assign(share.local_numbers.begin() + from,
                           share.local_numbers.end());
  hop.rows.assign(share.rows.begin() + from, share.rows.end());
  return hop;
}

absl::Status HopRound::Check(const PartitionShare& share,
                             const HopEdges& reply) const {
  const auto bad = [&](const auto&... what) {
    return absl::DataLossError(absl::StrCat("hop reply of partition ",
                                            share.partition, ", edge type ",
                                            type().name, ": ", what...));
  };
  const size_t edges = reply.neighbors.size();
  if (reply.counts.size() > share.unanswered() ||
      (reply.last_is_partial && reply.counts.empty())) {
    return bad(reply.counts.size(), " nodes answered of ", share.unanswered());
  }
  uint64_t sum = 0;
  const uint64_t most = NumDrawn(std::numeric_limits<uint64_t>::max(),
                                 draw_.fanout, draw_.replace);
  for (uint32_t count : reply.counts) {
    if (count > most) return bad(count, " edges of one node, at most ", most);
    sum += count;
  }
  if (sum != edges || reply.edge_ids.size() != edges ||
      reply.positions.size() != (draw_.want_positions ? edges : 0)) {
    return bad("counts sum to ", sum, ", neighbours ", edges, ", edge ids ",
               reply.edge_ids.size(), ", positions ", reply.positions.size());
  }
  uint64_t largest = 0;
  for (uint64_t id : reply.neighbors) largest = std::max(largest, id);
  if (edges > 0 && largest >= num_src_nodes_) {
    return bad("neighbour ", largest, " of ", num_src_nodes_, " nodes");
  }
  return absl::OkStatus();
}

absl::Status HopRound::Accept(PartitionShare& share, HopEdges reply) {
  RETURN_IF_ERROR(Check(share, reply));
  DropPartial(reply);
  edges_ += reply.neighbors.size();
  Append(share.edges.counts, std::move(reply.counts));
  Append(share.edges.neighbors, std::move(reply.neighbors));
  Append(share.edges.edge_ids, std::move(reply.edge_ids));
  Append(share.edges.positions, std::move(reply.positions));
  return absl::OkStatus();
}

// Walks the frontier and takes each node's edges off the front of its share.
void HopRound::MergeShares(HopEdges* merged) {
  if (shares_.size() == 1) {
    *merged = std::move(shares_[0].edges);
    return;
  }
  merged->counts.reserve(share_of_.size());
  merged->neighbors.reserve(edges_);
  merged->edge_ids.reserve(edges_);
  if (draw_.want_positions) merged->positions.reserve(edges_);
  std::vector<size_t> node(shares_.size(), 0), edge(shares_.size(), 0);
  const auto take = [](auto& to, const auto& from, size_t at, size_t n) {
    to.insert(to.end(), from.begin() + at, from.begin() + at + n);
  };
  for (uint32_t s : share_of_) {
    const HopEdges& from = shares_[s].edges;
    const uint32_t n = from.counts[node[s]++];
    merged->counts.push_back(n);
    take(merged->neighbors, from.neighbors, edge[s], n);
    take(merged->edge_ids, from.edge_ids, edge[s], n);
    if (draw_.want_positions)
      take(merged->positions, from.positions, edge[s], n);
    edge[s] += n;
  }
}

SampledHop HopRound::Merge(LocalNumbering& src) {
  HopEdges merged;
  if (!shares_.empty()) MergeShares(&merged);
  SampledHop hop;
  hop.first_local = first_local_;
  if (draw_.want_positions) {
    hop.owners.reserve(merged.counts.size());
    for (size_t i = 0; i < merged.counts.size(); ++i) {
      hop.owners.push_back(
          shares_[share_of_.empty() ? 0 : share_of_[i]].partition);
    }
  }
  std::vector<PartitionShare>().swap(shares_);
  hop.src.resize(merged.neighbors.size());
  src.Number(merged.neighbors, hop.src.data());
  hop.counts = std::move(merged.counts);
  hop.edge_ids = std::move(merged.edge_ids);
  hop.positions = std::move(merged.positions);
  return hop;
}

}  // namespace tributary
