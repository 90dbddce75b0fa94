#include "sampler_server/engine/steps/hop_round.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/ids/frontier.h"
#include "sampler_server/engine/ids/tree_ids.h"

namespace tributary {
namespace {

// Frees the memory of what is cut, too: it will be asked for again.
template <typename T>
void Shrink(std::vector<T>& values, size_t size) {
  values.resize(size);
  values.shrink_to_fit();
}

// Appends `from` to `to` and frees it.
template <typename T>
void MoveToEnd(std::vector<T>& to, std::vector<T>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.reserve(to.size() + from.size());  // no byte more
    to.insert(to.end(), from.begin(), from.end());
    FreeMemory(from);
  }
}

// Returns the values from `from` on of an array per node, which may be empty.
template <typename T>
absl::Span<const T> Rest(const std::vector<T>& values, size_t from) {
  return absl::MakeConstSpan(values).subspan(std::min(from, values.size()));
}

template <typename T>
std::vector<T> CopyOf(absl::Span<const T> values) {
  return {values.begin(), values.end()};
}

// Removes a node whose edges were cut: it counts as unanswered.
void DropPartial(HopEdges& reply) {
  if (!reply.last_is_partial) return;
  const size_t kept = reply.neighbors.size() - reply.counts.back();
  Shrink(reply.counts, reply.counts.size() - 1);
  Shrink(reply.neighbors, kept);
  if (!reply.edge_ids.empty()) Shrink(reply.edge_ids, kept);
  if (!reply.positions.empty()) Shrink(reply.positions, kept);
  reply.last_is_partial = false;
}

}  // namespace

HopRound::HopRound(const GraphSchema& schema, const SamplingPlan& plan,
                   int planned, const DrawRule& rule,
                   const HopFrontier& frontier)
    : plan_(plan),
      planned_(planned),
      rule_(rule),
      dst_(schema.node_types[plan.edge_types[planned].dst_type]),
      excluded_(frontier.excluded),
      stop_(frontier.stop),
      num_src_nodes_(static_cast<uint64_t>(
          schema.node_types[plan.edge_types[planned].src_type].num_nodes)),
      num_dst_nodes_(static_cast<uint64_t>(dst_.num_nodes)),
      first_local_(static_cast<uint32_t>(frontier.begin)) {
  const auto ids = frontier.known.subspan(frontier.begin);
  NodesByPartition parted = frontier.trees == 0
                                ? GroupByPartition(dst_, ids)
                                : GroupTreesByPartition(dst_, ids);
  share_of_ = std::move(parted.group_of);
  for (PartitionNodes& group : parted.groups) {
    PartitionShare& share = shares_.emplace_back();
    share.partition = group.partition;
    share.local_numbers = std::move(group.index);
    share.rows = std::move(group.rows);
  }
  if (frontier.trees > 0) {
    AddTrees(frontier);
    return;
  }
  for (PartitionShare& share : shares_) {
    for (uint32_t& number : share.local_numbers) number += first_local_;
  }
}

// Replaces places in the frontier by trees and numbers within the trees.
void HopRound::AddTrees(const HopFrontier& frontier) {
  const TreeIds ids(num_dst_nodes_);
  const std::vector<uint32_t> numbers =
      ids.NumbersWithin(frontier.known, frontier.begin, frontier.trees);
  for (PartitionShare& share : shares_) {
    share.trees.reserve(share.rows.size());
    if (rule_.time != TimeMode::kNone) {
      share.time_bound.reserve(share.rows.size());
    }
    for (uint32_t& number : share.local_numbers) {
      const uint32_t tree = ids.Tree(frontier.known[frontier.begin + number]);
      share.trees.push_back(tree);
      if (rule_.time != TimeMode::kNone) {
        share.time_bound.push_back(frontier.tree_time[tree]);
      }
      number = numbers[number];
    }
  }
}

ExcludedOfRows HopRound::ExcludedOf(const PartitionShare& share) const {
  if (excluded_ == nullptr) return {};
  return {*excluded_, static_cast<uint64_t>(dst_.base[share.partition]),
          static_cast<uint64_t>(dst_.base[share.partition + 1])};
}

uint64_t HopRound::MostEdges(const PartitionShare& share) const {
  if (rule_.fanout < 0) return std::numeric_limits<uint64_t>::max();
  return share.unanswered() * static_cast<uint64_t>(rule_.fanout);
}

HopQuery HopRound::LocalQuery(const PartitionShare& share, uint64_t max_edges,
                              bool exact_memory) const {
  const size_t from = share.answered();
  HopQuery query(rule_);
  query.local_numbers = Rest(share.local_numbers, from);
  query.rows = Rest(share.rows, from);
  query.trees = Rest(share.trees, from);
  query.time_bound = Rest(share.time_bound, from);
  query.first_node = static_cast<uint64_t>(dst_.base[share.partition]);
  query.excluded = ExcludedOf(share);
  query.max_edges = max_edges;
  query.exact_memory = exact_memory;
  query.stop = stop_;
  return query;
}

RemoteHop HopRound::RemoteQuery(const PartitionShare& share) const {
  const size_t from = share.answered();
  RemoteHop hop;
  hop.edge_type = static_cast<uint32_t>(type().edge_type);
  hop.partition = share.partition;
  hop.rule = rule_;
  hop.local_numbers = CopyOf(Rest(share.local_numbers, from));
  hop.rows = CopyOf(Rest(share.rows, from));
  hop.trees = CopyOf(Rest(share.trees, from));
  hop.time_bound = CopyOf(Rest(share.time_bound, from));
  hop.excluded = ExcludedOf(share).OfRows(Rest(share.rows, from));
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
                                 rule_.fanout, rule_.replace);
  for (uint32_t count : reply.counts) {
    if (count > most) return bad(count, " edges of one node, at most ", most);
    sum += count;
  }
  if (sum != edges ||
      reply.edge_ids.size() != (rule_.want_edge_ids ? edges : 0) ||
      reply.positions.size() != (rule_.want_positions ? edges : 0)) {
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
  if (!share.trees.empty()) {
    const TreeIds ids(num_src_nodes_);
    const uint32_t* tree = share.trees.data() + share.answered();
    uint64_t* neighbor = reply.neighbors.data();
    for (uint32_t count : reply.counts) {
      const uint64_t first = ids.Id(*tree++, 0);
      for (uint32_t i = 0; i < count; ++i) *neighbor++ += first;
    }
  }
  edges_ += reply.neighbors.size();
  MoveToEnd(share.edges.counts, std::move(reply.counts));
  MoveToEnd(share.edges.neighbors, std::move(reply.neighbors));
  MoveToEnd(share.edges.edge_ids, std::move(reply.edge_ids));
  MoveToEnd(share.edges.positions, std::move(reply.positions));
  return absl::OkStatus();
}

size_t HopRound::bytes() const {
  size_t sum = share_of_.capacity() * sizeof(uint32_t) + merged_.bytes();
  for (const PartitionShare& share : shares_) {
    sum += share.local_numbers.capacity() * sizeof(uint32_t) +
           share.rows.capacity() * sizeof(uint64_t) +
           share.trees.capacity() * sizeof(uint32_t) +
           share.time_bound.capacity() * sizeof(int64_t) + share.edges.bytes();
  }
  return sum;
}

// Merges column by column, and frees each column of the shares once merged.
void HopRound::MergeShares() {
  for (PartitionShare& share : shares_) {
    FreeMemory(share.local_numbers);
    FreeMemory(share.rows);
    FreeMemory(share.trees);
    FreeMemory(share.time_bound);
  }
  if (shares_.size() == 1) {
    merged_ = std::move(shares_[0].edges);
    return;
  }
  MergeColumn(&HopEdges::neighbors);
  if (rule_.want_edge_ids) MergeColumn(&HopEdges::edge_ids);
  if (rule_.want_positions) MergeColumn(&HopEdges::positions);
  if (!WhyStopped(stop_).ok()) return;
  std::vector<size_t> node(shares_.size(), 0);
  merged_.counts.reserve(share_of_.size());
  for (uint32_t s : share_of_) {
    merged_.counts.push_back(shares_[s].edges.counts[node[s]++]);
  }
}

// Walks the frontier and takes each node's edges off the front of its share.
template <typename T>
void HopRound::MergeColumn(std::vector<T> HopEdges::*column) {
  std::vector<size_t> node(shares_.size(), 0), edge(shares_.size(), 0);
  std::vector<T>& merged = merged_.*column;
  merged.reserve(edges_);
  for (uint32_t s : share_of_) {
    const HopEdges& from = shares_[s].edges;
    const uint32_t n = from.counts[node[s]++];
    if (ShouldStop(stop_, n / 4)) return;
    const auto begin = (from.*column).begin() + edge[s];
    merged.insert(merged.end(), begin, begin + n);
    edge[s] += n;
  }
  for (PartitionShare& share : shares_) FreeMemory(share.edges.*column);
}

// Removes self loops from out-edges that are added to in-edges, which have the
// self loops already. `ids`: by local number.
void HopRound::DropSelfLoops(absl::Span<const uint64_t> ids) {
  size_t edge = 0, kept = 0;
  for (size_t i = 0; i < merged_.counts.size(); ++i) {
    const uint64_t self = ids[first_local_ + i];
    const size_t end = edge + merged_.counts[i];
    for (; edge < end; ++edge) {
      if (merged_.neighbors[edge] == self) {
        --merged_.counts[i];
        continue;
      }
      merged_.neighbors[kept] = merged_.neighbors[edge];
      if (rule_.want_edge_ids) merged_.edge_ids[kept] = merged_.edge_ids[edge];
      if (rule_.want_positions) {
        merged_.positions[kept] = merged_.positions[edge];
      }
      ++kept;
    }
  }
  merged_.neighbors.resize(kept);
  if (rule_.want_edge_ids) merged_.edge_ids.resize(kept);
  if (rule_.want_positions) merged_.positions.resize(kept);
  edges_ = kept;
}

bool HopRound::Merge(LocalNumbering& src, size_t most_bytes, SampledHop* hop) {
  // While a column is merged, it is held twice.
  const size_t merging =
      bytes() + (shares_.size() > 1 ? edges_ * sizeof(uint64_t) : 0);
  if (merging + src.bytes() > most_bytes) src.DropTable();
  if (merging + src.bytes() > most_bytes) return false;
  if (!shares_.empty()) MergeShares();
  if (ShouldStop(stop_, edges_)) return false;
  if (type().shares_tensors_of >= 0 && type().src_type == type().dst_type) {
    DropSelfLoops(src.ids());
  }
  // Numbers take 28 bytes for each node and 4 for each edge, at most.
  if (merged_.bytes() + src.bytes() + 32 * edges_ > most_bytes) {
    merged_.ShrinkToFit();
  }
  hop->first_local = first_local_;
  if (rule_.want_positions) {
    hop->owners.reserve(merged_.counts.size());
    for (size_t i = 0; i < merged_.counts.size(); ++i) {
      hop->owners.push_back(
          shares_[share_of_.empty() ? 0 : share_of_[i]].partition);
    }
  }
  FreeMemory(shares_);
  FreeMemory(share_of_);
  const size_t held = merged_.bytes() + hop->owners.size() * sizeof(uint32_t) +
                      edges_ * sizeof(uint32_t);
  if (held > most_bytes) return false;
  hop->first_new = static_cast<uint32_t>(src.size());
  hop->src.resize(edges_);
  if (!src.Number(merged_.neighbors, hop->src.data(), most_bytes - held,
                  stop_)) {
    return false;
  }
  FreeMemory(merged_.neighbors);
  hop->counts = std::move(merged_.counts);
  hop->edge_ids = std::move(merged_.edge_ids);
  hop->positions = std::move(merged_.positions);
  return true;
}

size_t HopRound::CountNewNodes(const LocalNumbering& src) {
  FreeMemory(merged_.edge_ids);
  FreeMemory(merged_.positions);
  for (PartitionShare& share : shares_) {
    FreeMemory(share.edges.edge_ids);
    FreeMemory(share.edges.positions);
  }
  std::vector<uint64_t>& ids = merged_.neighbors;
  ids.reserve(edges_);
  for (const PartitionShare& share : shares_) {
    ids.insert(ids.end(), share.edges.neighbors.begin(),
               share.edges.neighbors.end());
  }
  return src.CountNew(absl::MakeSpan(ids), stop_);
}

}  // namespace tributary
