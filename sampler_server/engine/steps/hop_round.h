// One edge type in one hop: splits the frontier among partitions and merges
// their replies in the frontier's order.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_ROUND_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_ROUND_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

// One partition's part of the frontier and its replies so far.
struct PartitionShare {
  uint32_t partition = 0;
  std::vector<uint32_t> local_numbers;
  std::vector<uint64_t> rows;
  std::vector<uint32_t> trees;      // in disjoint batches
  std::vector<int64_t> time_bound;  // if the rule has a TimeMode
  HopEdges edges;  // of the first edges.counts.size() rows, whole nodes only
  // A reply was cut short: the rest is asked for alone, with the whole
  // allowance.
  bool alone = false;

  size_t answered() const { return edges.counts.size(); }
  size_t unanswered() const { return rows.size() - answered(); }
};

// The nodes that a hop draws for: known[begin], known[begin + 1], ...
struct HopFrontier {
  absl::Span<const uint64_t> known;  // ids of the destination type, by number
  size_t begin = 0;
  uint32_t trees = 0;  // of a disjoint batch, whose ids are TreeIds; else 0
  absl::Span<const int64_t> tree_time;      // by tree; empty without times
  const ExcludedEdges* excluded = nullptr;  // of the edge type; null: none
  StopCheck* stop = nullptr;
};

// Usage: a query for each of shares(), Accept for each reply until no row is
// unanswered, then Merge. The constructor's arguments, and what the frontier
// views, outlive it. Not thread-safe.
class HopRound {
 public:
  // `planned` is an index into the plan's edge types.
  HopRound(const GraphSchema& schema, const SamplingPlan& plan, int planned,
           const DrawRule& rule, const HopFrontier& frontier);

  int planned() const { return planned_; }
  const PlannedEdgeType& type() const { return plan_.edge_types[planned_]; }
  std::vector<PartitionShare>& shares() { return shares_; }

  // Returns the most edges that a share's unanswered rows can have; UINT64_MAX
  // for fanout -1.
  uint64_t MostEdges(const PartitionShare& share) const;
  // Return queries for the share's unanswered rows. LocalQuery's is a view of
  // the share.
  HopQuery LocalQuery(const PartitionShare& share, uint64_t max_edges,
                      bool exact_memory) const;
  RemoteHop RemoteQuery(const PartitionShare& share) const;

  // Adds a reply to the share; neighbours get the ids of their trees. A node
  // whose edges were cut stays unanswered. Validates all input: DATA_LOSS
  // naming the partition.
  absl::Status Accept(PartitionShare& share, HopEdges reply);
  // Returns the edges accepted so far; after Merge, those that are in the hop.
  uint64_t edges() const { return edges_; }

  const DrawRule& rule() const { return rule_; }

  // Memory held, of queries and replies.
  size_t bytes() const;
  // Moves the edges of all shares, which must be answered, to `hop` and numbers
  // the neighbours in `src`, whose table may be dropped. Returns false when the
  // frontier's `stop` says so, or if the round, `hop` and `src` together would
  // exceed `most_bytes`: call CountNewNodes then.
  bool Merge(LocalNumbering& src, size_t most_bytes, SampledHop* hop);
  // Returns how many neighbours have no number in `src`. Only after Merge has
  // returned false, as the last call.
  size_t CountNewNodes(const LocalNumbering& src);

 private:
  void AddTrees(const HopFrontier& frontier);
  ExcludedOfRows ExcludedOf(const PartitionShare& share) const;
  absl::Status Check(const PartitionShare& share, const HopEdges& reply) const;
  void MergeShares();
  void DropSelfLoops(absl::Span<const uint64_t> ids);
  template <typename T>
  void MergeColumn(std::vector<T> HopEdges::*column);

  const SamplingPlan& plan_;
  const int planned_;
  const DrawRule rule_;
  const NodeTypeSchema& dst_;
  const ExcludedEdges* const excluded_;
  StopCheck* const stop_;
  const uint64_t num_src_nodes_;
  const uint64_t num_dst_nodes_;
  const uint32_t first_local_;
  std::vector<PartitionShare> shares_;
  std::vector<uint32_t> share_of_;  // per frontier node; empty with one share
  uint64_t edges_ = 0;
  HopEdges merged_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_ROUND_H_
