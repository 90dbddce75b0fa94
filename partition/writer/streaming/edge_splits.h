// Finds the ids of the edges in splits while the edges pass.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_SPLITS_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_SPLITS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content.h"
#include "partition/writer/streaming/sorted_edges.h"

namespace tributary {

// The splits of a graph as they are stored. An edge of a split has the id of
// its row (with add_reverse the first of the two), else the lowest id of the
// edges with these ends, else -1. Takes 48 bytes for each edge of a split.
class EdgeSplits {
 public:
  // Reads the ends of splits that are given by rows.
  static absl::StatusOr<EdgeSplits> Make(const GraphSource& source);
  // The bytes that Make takes.
  static uint64_t BytesFor(const GraphSource& source);

  // Looks up the edges of `edge_type` into nodes [begin, end), of which `edges`
  // has the rows. Thread-safe for ranges that do not overlap.
  void Find(int edge_type, int64_t begin, int64_t end,
            const SortedEdges& edges);

  // The ids that have been found, to be kept across a kill: of all splits of
  // edges one after another. Finds of other threads may go on meanwhile.
  std::vector<int64_t> found();
  // INVALID_ARGUMENT if there are not as many.
  absl::Status Restore(absl::Span<const int64_t> found);

  // Returns all splits, of nodes too, in the order of the source.
  std::vector<SplitContent> ToContent(const GraphSource& source) const;

 private:
  // An edge of a split, in the order of (to, from).
  struct Wanted {
    int64_t to, from;
    int64_t own;  // the id of its row; -1 for pairs
    size_t split, place;
  };
  std::vector<std::vector<Wanted>> wanted_;  // by edge type
  struct Ends {
    std::vector<int64_t> from, to, ids;
  };
  std::vector<Ends> splits_;  // by split of the source; empty for nodes
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_SPLITS_H_
