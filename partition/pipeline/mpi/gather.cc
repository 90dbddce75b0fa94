#include "partition/pipeline/mpi/gather.h"

#include <algorithm>
#include <vector>

#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int64_t kNodesAtOnce = int64_t{1} << 20;

}  // namespace

absl::Status GatherInOrder(
    const Communicator& comm, const NodeShares& shares,
    absl::Span<const uint16_t> parts,
    absl::FunctionRef<absl::Status(absl::Span<const uint16_t>)> take) {
  const int64_t ranks = comm.size();
  const int64_t rows_at_once = std::max<int64_t>(1, kNodesAtOnce / ranks);
  absl::Status status;
  for (int64_t row = 0; row < shares.Rows(0); row += rows_at_once) {
    std::vector<int> counts(ranks);
    std::vector<int> starts(ranks);
    int total = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      counts[rank] = static_cast<int>(
          std::clamp<int64_t>(shares.Rows(rank) - row, 0, rows_at_once));
      starts[rank] = total;
      total += counts[rank];
    }
    const bool root = comm.rank() == 0;
    std::vector<uint16_t> by_rank(root ? total : 0);
    const int mine = counts[comm.rank()];
    MPI_Gatherv(mine == 0 ? nullptr : &parts[row], mine, MPI_UINT16_T,
                by_rank.data(), counts.data(), starts.data(), MPI_UINT16_T,
                /*root=*/0, comm.comm());
    if (!root || !status.ok()) continue;
    // Node v is row v / ranks of rank v % ranks.
    std::vector<uint16_t> in_order(total);
    for (int i = 0; i < total; ++i) {
      in_order[i] = by_rank[starts[i % ranks] + i / ranks];
    }
    status = take(in_order);
  }
  return comm.Agree(status);
}

}  // namespace tributary
