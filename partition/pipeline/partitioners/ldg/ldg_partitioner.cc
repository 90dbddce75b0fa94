#include "partition/pipeline/partitioners/ldg/ldg_partitioner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/prefetch.h"
#include "common/io/unfinished_folder.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/ldg/edge_buckets.h"
#include "partition/pipeline/partitioners/ldg/ldg_placer.h"
#include "partition/pipeline/partitioners/ldg/run_loader.h"
#include "partition/pipeline/partitioners/method/balance_weights.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"

namespace tributary {
namespace {

constexpr uint32_t kDefaultImbalance = 1050;
constexpr uint64_t kMostRunBytes = uint64_t{64} << 20;
constexpr uint64_t kLeastRunBytes = uint64_t{64} << 10;
constexpr size_t kAhead = 32;  // neighbours whose partitions are prefetched

// How the memory is used. The buffers of the first part and the runs of the
// second take the same bytes one after the other.
struct MemoryPlan {
  uint64_t buffer_bytes = 0;
  uint64_t run_bytes = 0;
};

absl::StatusOr<MemoryPlan> PlanMemory(const GraphSource& graph,
                                      const JointNodes& nodes,
                                      const PartitionOptions& options,
                                      const PartitionContext& context) {
  const size_t num_types = graph.node_types.size();
  const size_t max_constraints = num_types + 3;
  const uint64_t fixed =
      nodes.size() * (num_types == 1 ? 2 : 4) +
      BalanceWeights::Bytes(nodes, options.balance) +
      LdgPlacer::Bytes(num_types, max_constraints, options.num_partitions);
  // Counts of a bucket's nodes, and their ends in two runs.
  const uint64_t counts = 3 * 8 * EdgeBuckets::MaxNodes(nodes.size());
  const uint64_t least =
      fixed + std::max(EdgeBuckets::LeastBufferBytes(context.num_threads()),
                       2 * kLeastRunBytes + counts + (uint64_t{1} << 20));
  if (context.memory_bytes < least) {
    return absl::InvalidArgumentError(
        absl::StrCat("--memory ", context.memory_bytes, ": --method ldg needs ",
                     least, " bytes for ", nodes.size(), " nodes and ",
                     options.num_partitions, " partitions"));
  }
  const uint64_t rest = context.memory_bytes - fixed;
  MemoryPlan plan;
  plan.buffer_bytes = rest;
  plan.run_bytes = std::clamp((rest - std::min(rest, counts)) / 2,
                              kLeastRunBytes, kMostRunBytes);
  return plan;
}

// Places all nodes in order.
template <typename Id>
class GreedyPass {
 public:
  GreedyPass(const JointNodes& nodes, const EdgeBuckets& buckets,
             const PartitionContext& context, uint64_t run_bytes,
             LdgPlacer& placer)
      : nodes_(nodes),
        buckets_(buckets),
        context_(context),
        placer_(placer),
        loader_(buckets, run_bytes),
        partition_of_(nodes.size()) {}

  absl::StatusOr<std::vector<uint16_t>> Run() {
    NodeRun<Id> run, next;
    ASSIGN_OR_RETURN(bool more, loader_.Next(run));
    while (more) {
      absl::StatusOr<bool> loaded = false;
      const auto load = [&] { loaded = loader_.Next(next); };
      std::optional<std::thread> thread;
      if (context_.num_threads() > 1) thread.emplace(load);
      const absl::Status placed = PlaceRun(run);
      if (thread.has_value()) {
        thread->join();
      } else if (placed.ok()) {
        load();
      }
      RETURN_IF_ERROR(placed);
      ASSIGN_OR_RETURN(more, std::move(loaded));
      std::swap(run, next);
    }
    return std::move(partition_of_);
  }

 private:
  absl::Status PlaceRun(const NodeRun<Id>& run) {
    if (run.oversized) {
      RETURN_IF_ERROR(CountOversized(run));
      PlaceNode(run.first);
    } else {
      PlaceNodes(run);
    }
    context_.Report("places the nodes", run.first + run.num_nodes,
                    nodes_.size());
    return FaultPoint("partition.ldg.run-placed");
  }

  void PlaceNodes(const NodeRun<Id>& run) {
    const Id* const neighbors = run.neighbors.data();
    const size_t total = run.neighbors.size();
    const uint16_t* const partition_of = partition_of_.data();
    size_t at = 0;
    for (uint64_t i = 0; i < run.num_nodes; ++i) {
      for (; at < run.ends[i]; ++at) {
        if (at + kAhead < total) {
          Prefetch(partition_of + neighbors[at + kAhead]);
        }
        placer_.Count(partition_of[neighbors[at]]);
      }
      PlaceNode(run.first + i);
    }
  }

  absl::Status CountOversized(const NodeRun<Id>& run) {
    return buckets_.template ForEachPair<Id>(
        run.bucket, [&](absl::Span<const EndPair<Id>> pairs) {
          for (const EndPair<Id>& pair : pairs) {
            if (pair.larger != run.first) continue;
            placer_.Count(partition_of_[pair.smaller]);
          }
        });
  }

  void PlaceNode(uint64_t v) {
    while (v >= nodes_.first[type_ + 1]) ++type_;
    partition_of_[v] = placer_.Place(v, static_cast<int>(type_));
  }

  const JointNodes& nodes_;
  const EdgeBuckets& buckets_;
  const PartitionContext& context_;
  LdgPlacer& placer_;
  RunLoader<Id> loader_;
  std::vector<uint16_t> partition_of_;
  size_t type_ = 0;  // of the last node
};

absl::StatusOr<std::vector<uint16_t>> PlaceAll(const GraphSource& graph,
                                               const JointNodes& nodes,
                                               const PartitionOptions& options,
                                               const PartitionContext& context,
                                               const std::string& folder) {
  ASSIGN_OR_RETURN(const MemoryPlan memory,
                   PlanMemory(graph, nodes, options, context));
  ASSIGN_OR_RETURN(
      const EdgeBuckets buckets,
      EdgeBuckets::Make(graph, nodes, context, folder, memory.buffer_bytes));
  RETURN_IF_ERROR(FaultPoint("partition.ldg.distributed"));
  ASSIGN_OR_RETURN(const BalanceWeights weights,
                   BalanceWeights::Make(graph, nodes, options.balance));
  LdgPlacer placer(nodes, weights, options.num_partitions,
                   options.imbalance_permille != 0 ? options.imbalance_permille
                                                   : kDefaultImbalance);
  absl::StatusOr<std::vector<uint16_t>> placed =
      buckets.wide() ? GreedyPass<uint64_t>(nodes, buckets, context,
                                            memory.run_bytes, placer)
                           .Run()
                     : GreedyPass<uint32_t>(nodes, buckets, context,
                                            memory.run_bytes, placer)
                           .Run();
  return placed;
}

std::string TemporaryPrefix() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return (error ? std::string("/tmp") : folder.string()) + "/tributary-ldg-";
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint16_t>>> LdgPartitioner::Partition(
    const GraphSource& graph, const PartitionOptions& options,
    const PartitionContext& context) const {
  const JointNodes nodes(graph);
  std::optional<UnfinishedFolder> temporary;
  std::string folder = context.work_folder;
  if (folder.empty()) {
    ASSIGN_OR_RETURN(UnfinishedFolder made,
                     UnfinishedFolder::Create(TemporaryPrefix(), 0700));
    folder = made.path();
    temporary.emplace(std::move(made));
  }
  ASSIGN_OR_RETURN(std::vector<uint16_t> placed,
                   PlaceAll(graph, nodes, options, context, folder));
  return SplitByType(nodes, std::move(placed));
}

}  // namespace tributary
