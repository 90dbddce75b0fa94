// One edge type in one hop: the frontier parted among partitions, and their
// answers put together again in the frontier's order.
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

// What one partition is asked for, and what it has answered so far.
struct PartitionShare {
  uint32_t partition = 0;
  std::vector<uint32_t> local_numbers;
  std::vector<uint64_t> rows;
  std::vector<uint32_t> trees;      // of disjoint batches
  std::vector<int64_t> time_bound;  // with a TimeColumn
  HopEdges edges;  // of the first edges.counts.size() rows, whole nodes only
  bool alone = false;  // was cut once: asked again with all that is left

  size_t answered() const { return edges.counts.size(); }
  size_t unanswered() const { return rows.size() - answered(); }
};

// The nodes that a hop draws for: the last of those that are known.
struct HopFrontier {
  absl::Span<const uint64_t> known;  // ids of the destination type by number
  size_t begin = 0;                  // the frontier's first
  // Of disjoint batches, whose ids are those of TreeIds.
  uint32_t trees = 0;
  absl::Span<const int64_t> tree_time;      // per tree; empty without times
  const ExcludedEdges* excluded = nullptr;  // of the edge type; null: none
};

// Not thread-safe. What the frontier views outlives it.
class HopRound {
 public:
  // `planned` is an index into the plan's edge types.
  HopRound(const GraphSchema& schema, const SamplingPlan& plan, int planned,
           const DrawRule& rule, const HopFrontier& frontier);

  int planned() const { return planned_; }
  const PlannedEdgeType& type() const { return plan_.edge_types[planned_]; }
  std::vector<PartitionShare>& shares() { return shares_; }

  // The most edges that the rest of a share can have; UINT64_MAX for fanout -1.
  uint64_t MostEdges(const PartitionShare& share) const;
  // For rows that the share has no answer to. The query views the share.
  HopQuery LocalQuery(const PartitionShare& share, uint64_t max_edges,
                      bool exact_memory) const;
  RemoteHop RemoteQuery(const PartitionShare& share) const;

  // Takes a reply to the unanswered rows, whose neighbours get their trees; a
  // node that was cut is left unanswered. Believes nothing: DATA_LOSS naming
  // the partition.
  absl::Status Accept(PartitionShare& share, HopEdges reply);
  // Edges accepted so far; once merged, those that are left.
  uint64_t edges() const { return edges_; }

  bool wants_positions() const { return rule_.want_positions; }

  // Memory of questions and answers.
  size_t bytes() const;
  // Requires every share to be answered. Numbers the neighbours and empties the
  // round; `src` may lose its table on the way. False when that takes more than
  // `most_bytes` for the round, `hop` and `src` together: see CountNewNodes.
  bool Merge(LocalNumbering& src, size_t most_bytes, SampledHop* hop);
  // Once Merge was false, and nothing after it: how many nodes have no number.
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
