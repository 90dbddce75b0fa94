// The node files of pm_dglpart.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_NODES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_NODES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "partition/pipeline/mpi/dgl_files.h"
#include "partition/pipeline/mpi/line_share.h"
#include "partition/pipeline/mpi/node_shares.h"
#include "partition/pipeline/mpi/node_types.h"

namespace tributary {

// Rows of a node type that a rank has seen. A row is a line of the node files,
// which is the node's homogenised id.
struct DglTypeSeen {
  int64_t type = 0;
  int64_t first = 0, last = 0;  // rows
  int64_t count = 0;
  int64_t begin = 0;  // row less id: of every node the same
};

// The weight of a row of some rank.
struct WeightOfRow {
  int64_t row = 0;  // of the rank
  int64_t weight = 0;
};

// Parses a rank's share of the node files. Not thread-safe.
class DglNodeLines {
 public:
  // `first_row` is the row of the share's first line. Weight number `weight` is
  // kept, none without. `files` must outlive the reader.
  DglNodeLines(LineShare lines, const DglFiles& files, NodeShares shares,
               int64_t first_row, std::optional<int> weight)
      : lines_(std::move(lines)),
        files_(files),
        shares_(shares),
        row_(first_row),
        weight_(weight) {}

  // Reads up to `count` lines and appends their weights to `out`, which has a
  // box for each rank. False at the end. INVALID_ARGUMENT, with file and line,
  // for a line that is not of the format, for a negative weight, and for ids of
  // a type that do not ascend by one; errors as LineShare::Next.
  absl::StatusOr<bool> Fill(int count,
                            std::vector<std::vector<WeightOfRow>>& out);
  // Returns the types of the lines that were read, ascending.
  std::vector<DglTypeSeen> seen() const;

 private:
  absl::Status LineError(absl::string_view why) const;
  absl::Status Take(absl::string_view line,
                    std::vector<std::vector<WeightOfRow>>& out);

  LineShare lines_;
  const DglFiles& files_;
  const NodeShares shares_;
  int64_t row_;
  const std::optional<int> weight_;
  std::map<int64_t, DglTypeSeen> seen_;
};

// Merges what ranks have seen, by rank. INVALID_ARGUMENT unless the nodes of a
// type are together, after those of lower types, with ids from 0; and for names
// of more or fewer types than there are.
absl::StatusOr<NodeTypes> MergeDglTypes(const DglFiles& files,
                                        absl::Span<const DglTypeSeen> seen);

// Returns the number of lines in a share.
absl::StatusOr<int64_t> CountLines(LineShare lines);

// INVALID_ARGUMENT unless there are as many lines of nodes as the statistics
// say.
absl::Status CheckNodeLines(const DglFiles& files, int64_t lines);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_NODES_H_
