#include "partition/pipeline/mpi/rank_memory.h"

namespace tributary {
namespace {

// A program without a graph, and buffers for messages.
constexpr uint64_t kFixed = uint64_t{64} << 20;

}  // namespace

RankMemory EstimateRankMemory(int64_t num_nodes, int64_t num_edges, int ranks) {
  const auto nodes = static_cast<uint64_t>(num_nodes);
  const auto edges = static_cast<uint64_t>(num_edges);
  const auto by = static_cast<uint64_t>(ranks);
  return {.usual = kFixed + (nodes * 80 + edges * 288) / by,
          .with_hubs = kFixed + nodes * 64 + edges * 176 +
                       (nodes * 80 + edges * 64) / by};
}

}  // namespace tributary
