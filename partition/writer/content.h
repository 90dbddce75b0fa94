// A whole graph by original ids: the content of a graph folder before
// partitioning.
#ifndef TRIBUTARY_PARTITION_WRITER_CONTENT_H_
#define TRIBUTARY_PARTITION_WRITER_CONTENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/writer/adjacency.h"
#include "partition/writer/row_source.h"

namespace tributary {

// The nodes of one type. Columns have one row per node and may be null.
struct NodeContent {
  std::string name;
  int64_t num_nodes = 0;
  std::shared_ptr<const RowSource> x;  // by original id
  std::shared_ptr<const RowSource> y;
  std::shared_ptr<const RowSource> time;  // int64
};

// The edges of one type.
struct EdgeContent {
  // The row of an edge in edge_attr, weight, time and masks.
  enum class AttrBy {
    kEdgeId,
    kHalfEdgeId,  // id / 2: both directions of an edge share a row
    kPosition,    // the position in in_edges
  };

  std::string src, rel, dst;
  int src_type = 0;  // indices into node_types
  int dst_type = 0;
  bool reverse = false;  // as in EdgeTypeSchema
  Adjacency in_edges;
  std::shared_ptr<const RowSource> edge_attr;  // may be null
  AttrBy attr_by = AttrBy::kEdgeId;
  // One value per row: float32 or float64, and int64; may be null.
  std::shared_ptr<const RowSource> weight;
  std::shared_ptr<const RowSource> time;
  // By name: bool, one value per row.
  std::map<std::string, std::shared_ptr<const RowSource>> masks;

  std::string name() const { return src + "," + rel + "," + dst; }
  // Returns the row of the edge at `position` of in_edges.
  int64_t AttrRow(uint64_t position) const;
};

// One split of nodes or edges.
struct SplitContent {
  std::string scheme;
  std::string type;  // as in SplitSchema
  std::string name;
  // In the order of the user's file: original ids of nodes; or for each edge
  // source, destination and edge id, -1 if the graph has no such edge.
  std::vector<int64_t> ids;
};

// All types and splits of a graph.
struct GraphContent {
  std::string name;
  bool heterogeneous = false;
  std::vector<NodeContent> node_types;  // in the order of GraphSchema
  std::vector<EdgeContent> edge_types;
  std::vector<SplitContent> splits;
};

// Checks that types, rows, edges and splits match and that weights are finite
// and not negative. INVALID_ARGUMENT or OUT_OF_RANGE names the part.
absl::Status CheckContent(const GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_CONTENT_H_
