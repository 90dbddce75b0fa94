#include "partition/pipeline/mpi/rank_memory.h"

namespace tributary {
namespace {

// A program without a graph, MPI's buffers and ours for messages.
constexpr uint64_t kFixed = uint64_t{96} << 20;

}  // namespace

uint64_t RankMemoryBytes(const RankLoad& load) {
  const auto nodes = static_cast<uint64_t>(load.num_nodes);
  const auto edges = static_cast<uint64_t>(load.num_edges);
  const auto ranks = static_cast<uint64_t>(load.ranks);
  return kFixed + nodes * 64 + edges * 96 + (nodes * 128 + edges * 128) / ranks;
}

}  // namespace tributary
