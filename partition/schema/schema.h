// The schema of a graph, stored in graph.json: everything about the graph
// except its arrays.
#ifndef TRIBUTARY_PARTITION_SCHEMA_SCHEMA_H_
#define TRIBUTARY_PARTITION_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/tensor/dtype.h"
#include "common/tensor/npy.h"
#include "common/tensor/scaled_row.h"

namespace tributary {

inline constexpr uint32_t kGraphFormatVersion = 1;

// The maximum number of masks of one edge type.
inline constexpr size_t kMaxEdgeMasks = 64;

// The type of a column of features, labels or edge attributes.
struct ColumnSchema {
  DType dtype = DType::kFloat32;
  int64_t dim = 0;  // 0: one value per row, tensor [N]; otherwise [N, dim]
  // Whether rows are scaled rows (scaled_row.h), which stand for float32
  // numbers. Requires dtype == kInt8; features alone are scaled.
  bool scaled = false;

  // Returns the number of values in a row.
  size_t width() const { return dim == 0 ? 1 : static_cast<size_t>(dim); }
  // Returns the bytes of a stored row.
  size_t row_bytes() const {
    return scaled ? ScaledRowBytes(width()) : DTypeSize(dtype) * width();
  }
  // Return the type and the shape of an array of `rows` rows: [rows] or
  // [rows, dim]; of scaled rows [rows], each a record.
  NpyType array_type() const {
    return scaled ? NpyTypeOfScaledRows(dim) : NpyTypeOf(dtype);
  }
  std::vector<int64_t> array_shape(int64_t rows) const {
    if (dim == 0 || scaled) return {rows};
    return {rows, dim};
  }
  // Returns the dtype of the numbers that readers get unless they ask for
  // another one.
  DType value_dtype() const { return scaled ? DType::kFloat32 : dtype; }
  // Returns what is stored, for messages: "float32", "scaled int8".
  std::string_view type_name() const {
    return scaled ? "scaled int8" : DTypeName(dtype);
  }
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

// One node type.
struct NodeTypeSchema {
  std::string name;  // "node" in a homogeneous graph
  int64_t num_nodes = 0;
  std::optional<ColumnSchema> x;
  std::optional<ColumnSchema> y;
  bool timed = false;  // whether each node has a time
  // P + 1 entries: partition p has the internal ids [base[p], base[p + 1]).
  std::vector<int64_t> base;

  // Returns the partition of an internal id. Requires 0 <= internal <
  // num_nodes.
  uint32_t PartitionOf(int64_t internal) const;
};

// One edge type.
struct EdgeTypeSchema {
  std::string src, rel, dst;  // "node", "to", "node" in a homogeneous graph
  int src_type = 0;           // index into node_types
  int dst_type = 0;
  int64_t num_edges = 0;
  std::optional<ColumnSchema> edge_attr;
  bool weighted = false;                 // whether each edge has a weight
  DType weight_dtype = DType::kFloat32;  // or kFloat64
  bool timed = false;                    // whether each edge has a time
  bool neighbor_timed = false;  // whether nodes of the source type have times
  bool neighbor_ids = false;    // whether sources' original ids are stored
  bool degrees = false;         // whether the degrees of both ends are stored
  bool edge_index = false;      // whether edges can be located by their ids
  // The largest edge id + 1 if edge_index is set: more than num_edges
  // where edges were dropped; 0 if there are no edges.
  int64_t num_edge_ids = 0;
  // Whether it is the reverse rev_REL of a type REL: the same edges with source
  // and destination exchanged, with the same ids.
  bool reverse = false;
  // Names of the edge masks, ascending; a mask stores 0 or 1 per edge.
  std::vector<std::string> masks;
  std::vector<int64_t> partition_edges;  // edges in each partition

  std::string name() const { return src + "," + rel + "," + dst; }
};

// Returns whether `type` is the name of an edge type; names of node types have
// no comma.
inline bool IsEdgeTypeName(std::string_view type) {
  return type.find(',') != std::string_view::npos;
}

// The numbers that a split stores per edge: source, destination, edge id.
inline constexpr size_t kSplitEdgeNumbers = 3;

// One split: a list of nodes or edges.
struct SplitSchema {
  std::string scheme;  // folder below OGB's split/; "" if none
  std::string type;    // a node type, or an edge type "src,rel,dst"
  std::string name;    // "train", "valid", "test", "test_neg"
  int64_t count = 0;   // nodes or edges

  bool of_edges() const { return IsEdgeTypeName(type); }
  // Returns the shape of the split's array.
  std::vector<int64_t> shape() const {
    if (!of_edges()) return {count};
    return {count, static_cast<int64_t>(kSplitEdgeNumbers)};
  }
  // Returns "public/train", or "train" without a scheme.
  std::string full_name() const {
    return scheme.empty() ? name : scheme + "/" + name;
  }
};

// One file of the graph's folder.
struct FileSchema {
  std::string path;  // relative to the graph's folder, '/' between parts
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
};

// The schema of a graph. Node and edge types are identified by their index in
// node_types and edge_types.
struct GraphSchema {
  std::string name;
  uint32_t semantics_version = 0;
  bool heterogeneous = false;  // typed names in batches
  uint32_t num_partitions = 1;
  std::vector<NodeTypeSchema> node_types;  // names ascending bytewise
  std::vector<EdgeTypeSchema> edge_types;  // (src, rel, dst) ascending
  std::vector<SplitSchema> splits;
  std::vector<FileSchema> files;  // all except graph.json; paths ascend
  std::string partition_method;   // "random", "metis"
  std::string made_by;            // program and command line
  Sha256Digest content_digest{};
  Sha256Digest layout_digest{};

  // Returns canonical JSON: keys sorted, no spaces. layout_digest is the digest
  // of this text without `layout_digest` and `made_by`.
  std::string ToJson() const;
  // Parses graph.json. INVALID_ARGUMENT or DATA_LOSS, naming the key, if it is
  // no graph.json of a version that this program reads, or is inconsistent.
  static absl::StatusOr<GraphSchema> FromJson(std::string_view json);
  Sha256Digest ComputeLayoutDigest() const;
  // Return the index of a type; -1 if there is none of that name.
  int FindNodeType(std::string_view type_name) const;
  int FindEdgeType(std::string_view canonical_name) const;
  // Returns the type that holds the same edges with their ends exchanged; -1 if
  // there is none.
  int ReverseOf(int edge_type) const;
  // Return the number of nodes and edges of the types that users see.
  int64_t NumNodes() const;
  int64_t NumEdges() const;
  std::string EdgeTypeNames() const;  // separated by spaces
  // Returns whether users see the type. The reverse type of a homogeneous graph
  // is hidden: it exists only for edge_dir.
  bool IsVisible(int edge_type) const {
    return heterogeneous || !edge_types[edge_type].reverse;
  }
  // Returns the index in `splits` of the split of `type` that `split` names,
  // "train" or "SCHEME/train". NOT_FOUND lists the splits there are;
  // INVALID_ARGUMENT if several schemes have it.
  absl::StatusOr<size_t> FindSplit(std::string_view type,
                                   std::string_view split) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_SCHEMA_H_
