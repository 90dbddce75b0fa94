// A user's graph, as its readers describe it: the types in memory, the columns
// where they are.
#ifndef TRIBUTARY_PARTITION_SOURCE_GRAPH_SOURCE_H_
#define TRIBUTARY_PARTITION_SOURCE_GRAPH_SOURCE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partition/source/column.h"

namespace tributary {

using ColumnPtr = std::shared_ptr<const Column>;

// The nodes of one type. Columns have one row per node, by original id, and may
// be null.
struct NodeSource {
  std::string name;  // "node" in a homogeneous graph
  int64_t num_nodes = 0;
  ColumnPtr x, y;
  ColumnPtr time;  // int64, dim 0
};

// The edges of one type, by the user's rows: an edge's id is its row, unless
// add_reverse is set.
struct EdgeSource {
  std::string src, rel, dst;  // "node", "to", "node" in a homogeneous graph
  int src_type = 0;           // indices into node_types
  int dst_type = 0;
  // Whether it is the reverse of another type, as in EdgeTypeSchema. Its `from`
  // and `to` are those of the other, exchanged, and its columns the same.
  bool reverse = false;
  // Row i is edge 2i and, with its ends exchanged, edge 2i + 1; both have row i
  // of the columns below.
  bool add_reverse = false;
  // Of edges with the same ends keep the one with the lowest id, after
  // add_reverse. Ids are not renumbered.
  bool dedupe = false;
  // The ends by row: int64, dim 0. Readers need not have checked that they are
  // nodes; whoever reads them first does.
  ColumnPtr from, to;
  // By row, each of them may be null.
  ColumnPtr edge_attr;
  ColumnPtr weight;                        // float32 or float64, dim 0
  ColumnPtr time;                          // int64, dim 0
  std::map<std::string, ColumnPtr> masks;  // bool, dim 0

  std::string name() const { return src + "," + rel + "," + dst; }
  int64_t num_rows() const { return from->num_rows(); }
};

// One split of nodes or edges, in the order of the user's file.
struct SplitSource {
  std::string scheme;          // "" if none
  std::string type;            // a node type, or "src,rel,dst"
  std::string name;            // "train"
  std::vector<int64_t> nodes;  // of a node type: original ids
  // Of an edge type, either rows of the edges, or the ends of edges, which need
  // not be edges of the graph.
  std::vector<int64_t> rows;
  std::vector<int64_t> from, to;
};

// All types and splits of a graph.
struct GraphSource {
  std::string name;
  bool heterogeneous = false;
  std::vector<NodeSource> node_types;  // names ascending bytewise
  std::vector<EdgeSource> edge_types;  // (src, rel, dst) ascending
  std::vector<SplitSource> splits;     // in the order of GraphSchema
  std::vector<std::string> notes;      // what was left out, for the user
  // For each node type whose ids in the user's data were words or numbers with
  // gaps: the folder's file name and the file that lists them, one row per
  // node (docs/graph-format.md).
  std::map<std::string, std::string> id_files;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_GRAPH_SOURCE_H_
