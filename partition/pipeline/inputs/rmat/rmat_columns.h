// The columns of an R-MAT graph, computed when they are read.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_COLUMNS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_COLUMNS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/random/philox.h"
#include "partition/pipeline/inputs/rmat/rmat.h"
#include "partition/source/graph_source.h"

namespace tributary {

// The edges of an R-MAT graph: edge i is a function of (seed, i). Immutable and
// thread-safe. Holds the renamed ids, 4 bytes a node, up to 2^26 nodes; beyond,
// an id is computed where it is needed, which is slower.
class RmatEdges {
 public:
  // Requires options that CheckRmatOptions accepts. Computes the ids on all
  // cores.
  static absl::StatusOr<std::shared_ptr<const RmatEdges>> Make(
      const RmatOptions& options);
  ~RmatEdges();

  // Draws edges [begin, begin + count): puts the ends of edge begin + i at
  // from[i * stride] and to[i * stride]. Either may be null.
  void Draw(int64_t begin, int64_t count, int64_t* from, int64_t* to,
            int64_t stride = 1) const;

  // The ends as columns: int64, dim 0.
  static ColumnPtr From(std::shared_ptr<const RmatEdges> edges);
  static ColumnPtr To(std::shared_ptr<const RmatEdges> edges);
  int64_t num_edges() const { return num_edges_; }

 private:
  class Names;
  class End;
  explicit RmatEdges(const RmatOptions& options);

  const int scale_;
  const int64_t num_edges_;
  const PhiloxKey key_;
  std::unique_ptr<const Names> names_;
};

// Returns the source whose edges are `edges`, made by the same options.
GraphSource MakeRmatSource(const RmatOptions& options,
                           std::shared_ptr<const RmatEdges> edges);

// The columns that docs/graph-format.md defines, one row a node or edge.
ColumnPtr RmatLabels(const RmatOptions& options);
ColumnPtr RmatFeatures(const RmatOptions& options);  // of options.feat_dtype
ColumnPtr RmatNodeTimes(const RmatOptions& options);
ColumnPtr RmatEdgeTimes(const RmatOptions& options);
ColumnPtr RmatEdgeWeights(const RmatOptions& options);
ColumnPtr RmatEdgeMask(const RmatOptions& options, const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_COLUMNS_H_
