// A rank's share of a graph's edges, in blocks.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_EDGE_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_EDGE_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/source/graph_source.h"

namespace tributary {

// An edge of the homogenised graph, in which the ids of node types follow one
// another in the order of the source.
struct HomogeneousEdge {
  int64_t from = 0;
  int64_t to = 0;
};

// Reads edges once, from the first to the last. Not thread-safe.
class EdgeScan {
 public:
  virtual ~EdgeScan() = default;
  // Reads up to out.size() edges; returns how many, 0 at the end.
  // INVALID_ARGUMENT or OUT_OF_RANGE, with file and row or line, for an end
  // that is no node; else the errors of reading.
  virtual absl::StatusOr<size_t> Read(absl::Span<HomogeneousEdge> out) = 0;
};

// Reads share `rank` of `ranks` of the rows of each edge type. Types that are
// the reverse of another are left out, for they add nothing to the undirected
// graph.
class SourceEdgeReader final : public EdgeScan {
 public:
  // `source` must outlive the reader, which cannot be copied or moved.
  SourceEdgeReader(const GraphSource& source, int rank, int ranks);
  SourceEdgeReader(const SourceEdgeReader&) = delete;
  absl::StatusOr<size_t> Read(absl::Span<HomogeneousEdge> out) override;

 private:
  const GraphSource& source_;
  const JointNodes nodes_;
  JointEnds ends_;
  const int rank_;
  const int ranks_;
  size_t type_ = 0;
  int64_t row_ = 0;  // of type_, from the share's first
};

// The first row of share `rank` of `ranks` of `rows`; that of `ranks` is
// `rows`.
int64_t ShareBegin(int64_t rows, int rank, int ranks);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_EDGE_READER_H_
