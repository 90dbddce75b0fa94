// The contents of --config graph.json: the places of a user's graph, file by
// file and column by column.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_GRAPH_LAYOUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_GRAPH_LAYOUT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tributary {

// Where the values of one column are: in columns of the type's table, or in
// arrays. At most one of the lists is not empty.
struct ColumnPlace {
  // Columns of the table beside one another: a name of the header, a number
  // from 0, or the beginning of names and a '*'.
  std::vector<std::string> columns;
  // Arrays one after another: "x.npy", or "graph.npz:x" for a member of an
  // .npz file. Splits may also be lists of ids, "train.csv". Relative to the
  // folder of the layout.
  std::vector<std::string> arrays;

  bool empty() const { return columns.empty() && arrays.empty(); }
};

// The ids of the nodes of one type in the user's data.
enum class IdKind {
  kAuto,    // kNumber if all are whole numbers as programs write them, else
            // kString; ids 0 to N - 1 without a gap stay as they are
  kDense,   // numbers from 0, which stay as they are
  kNumber,  // int64, numbered in ascending order
  kString,  // numbered in byte order
};

// The nodes of one type.
struct NodeLayout {
  std::string name;
  std::optional<int64_t> count;
  std::optional<IdKind> ids;       // overrides GraphLayout::ids
  std::vector<std::string> table;  // files with one row per node
  ColumnPlace id;                  // column of `table`
  ColumnPlace features, labels, time;
  // By name, "train" or "SCHEME/train": a mask (bool), or ids (whole numbers).
  std::map<std::string, ColumnPlace> splits;
  ColumnPlace split;  // column of `table` that names each node's split
};

// The edges of one type. Its ends are in `from` and `to`, or in `index`, or in
// `indptr` and `indices`; or none is given, and the table has them.
struct EdgeLayout {
  std::string src, rel, dst;
  std::vector<std::string> table;  // files with one row per edge
  ColumnPlace from, to;
  ColumnPlace index;  // an array [2, E] or [E, 2]
  // Compressed rows: the edges of node v are at [indptr[v], indptr[v + 1]).
  ColumnPlace indptr, indices;
  ColumnPlace edge_ids;    // the edge's row in the columns below; may be empty
  bool by_source = false;  // whether v is the source (CSR), else the end (CSC)
  ColumnPlace features, weight, time;
  std::map<std::string, ColumnPlace> masks;
  // By name: a mask, rows of the edges, or pairs of ends [n, 2] or [2, n].
  std::map<std::string, ColumnPlace> splits;

  std::string name() const { return src + "," + rel + "," + dst; }
};

// A graph of files.
struct GraphLayout {
  std::string folder;  // paths are relative to it
  std::string origin;  // for messages: the config's path, or the flags
  std::string name;    // empty: the folder's
  IdKind ids = IdKind::kAuto;
  std::optional<char> delimiter;  // of text tables; by their suffix if not set
  std::optional<bool> header;     // whether text tables begin with names
  std::vector<NodeLayout> nodes;  // names ascending bytewise
  std::vector<EdgeLayout> edges;  // (src, rel, dst) ascending
  std::vector<std::string> notes;

  // Adds the node types that edges name and `nodes` lacks, and sorts both.
  void Complete();
  // Returns whether it has types beyond the homogeneous "node" and
  // "node,to,node".
  bool heterogeneous() const;
  // Returns the index of a node type; -1 if there is none of that name.
  int FindNodes(const std::string& type) const;
  std::string Path(const std::string& file) const;
  // Returns the paths of all tables, lists and files of arrays.
  std::vector<std::string> Files() const;
};

// Returns the word for messages and configs: "auto", "dense", "number",
// "string".
const char* IdKindName(IdKind kind);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_GRAPH_LAYOUT_H_
