// A whole graph by original ids: what a graph folder holds, before anyone has
// partitioned it.
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

struct NodeContent {
  std::string name;
  int64_t num_nodes = 0;
  std::shared_ptr<const RowSource> x;  // by original id; may be null
  std::shared_ptr<const RowSource> y;
  std::shared_ptr<const RowSource> time;  // int64, one a node; may be null
};

struct EdgeContent {
  // Where an edge's row of edge_attr, weight, time and masks is.
  enum class AttrBy {
    kEdgeId,
    kHalfEdgeId,  // id >> 1: both directions of an edge share a row
    kPosition,    // in in_edges
  };

  std::string src, rel, dst;
  int src_type = 0;  // indices into node_types
  int dst_type = 0;
  bool reverse = false;  // as EdgeTypeSchema's
  Adjacency in_edges;
  std::shared_ptr<const RowSource> edge_attr;  // may be null
  AttrBy attr_by = AttrBy::kEdgeId;
  // One a row: float32 or float64, and int64; may be null.
  std::shared_ptr<const RowSource> weight;
  std::shared_ptr<const RowSource> time;
  // By name: bool, one a row.
  std::map<std::string, std::shared_ptr<const RowSource>> masks;

  std::string name() const { return src + "," + rel + "," + dst; }
  int64_t AttrRow(uint64_t position) const;
};

struct SplitContent {
  std::string scheme;
  std::string type;  // as SplitSchema's
  std::string name;
  // In the order of the user's file: original ids of nodes; of edges source,
  // destination and edge id, -1 where the graph has no such edge.
  std::vector<int64_t> ids;
};

struct GraphContent {
  std::string name;
  bool heterogeneous = false;
  std::vector<NodeContent> node_types;  // in GraphSchema's orders
  std::vector<EdgeContent> edge_types;
  std::vector<SplitContent> splits;
};

// INVALID_ARGUMENT or OUT_OF_RANGE, naming the part, when types, rows, edges
// and splits do not fit each other, or an edge's weight is negative or not
// finite.
absl::Status CheckContent(const GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_CONTENT_H_
