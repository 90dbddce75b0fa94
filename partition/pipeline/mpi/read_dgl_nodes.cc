#include "partition/pipeline/mpi/read_dgl_nodes.h"

#include <algorithm>
#include <utility>

#include "common/text/status.h"
#include "partition/pipeline/mpi/dgl_nodes.h"
#include "partition/pipeline/mpi/line_share.h"
#include "partition/pipeline/mpi/node_shares.h"

namespace tributary {
namespace {

// Merges what all ranks have seen.
absl::StatusOr<NodeTypes> MergeTypes(const Communicator& comm,
                                     const DglFiles& files,
                                     const std::vector<DglTypeSeen>& mine) {
  std::vector<int64_t> values;
  for (const DglTypeSeen& seen : mine) {
    values.insert(values.end(),
                  {seen.type, seen.first, seen.last, seen.count, seen.begin});
  }
  const std::vector<int64_t> all = comm.Collect(values);
  std::vector<DglTypeSeen> seen;
  for (size_t i = 0; i < all.size(); i += 5) {
    seen.push_back({all[i], all[i + 1], all[i + 2], all[i + 3], all[i + 4]});
  }
  return MergeDglTypes(files, seen);
}

}  // namespace

absl::StatusOr<DglNodes> ReadDglNodes(const Communicator& comm,
                                      const DglFiles& files,
                                      std::optional<int> weight) {
  const auto open = [&] {
    return LineShare::Open(files.nodes, comm.rank(), comm.size());
  };
  auto lines = open();
  RETURN_IF_ERROR(comm.Agree(lines.status()));
  const auto counted = CountLines(*std::move(lines));
  RETURN_IF_ERROR(comm.Agree(counted.status()));
  RETURN_IF_ERROR(CheckNodeLines(files, comm.Sum(*counted)));
  lines = open();
  RETURN_IF_ERROR(comm.Agree(lines.status()));
  const NodeShares shares(files.num_nodes, comm.size());
  DglNodeLines nodes(*std::move(lines), files, shares, comm.SumBefore(*counted),
                     weight);
  DglNodes result;
  if (weight.has_value()) result.weights.resize(shares.Rows(comm.rank()));
  const int at_once = std::max(1024, (1 << 20) / comm.size());
  RETURN_IF_ERROR(Exchange<WeightOfRow>(
      comm, [&](auto& out) { return nodes.Fill(at_once, out); },
      [&](auto rows) {
        for (const WeightOfRow& row : rows)
          result.weights[row.row] = row.weight;
        return absl::OkStatus();
      }));
  ASSIGN_OR_RETURN(result.types, MergeTypes(comm, files, nodes.seen()));
  return result;
}

}  // namespace tributary
