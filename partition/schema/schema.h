// graph.json: everything that is known of a graph without opening its arrays.
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

namespace tributary {

inline constexpr uint32_t kGraphFormatVersion = 1;

// Of one edge type.
inline constexpr size_t kMaxEdgeMasks = 64;

// A column of rows: features, labels or edge attributes.
struct ColumnSchema {
  DType dtype = DType::kFloat32;
  int64_t dim = 0;  // 0: one value a row, tensor [N]; else [N, dim]
  // Values in a row.
  size_t width() const { return dim == 0 ? 1 : static_cast<size_t>(dim); }
  size_t row_bytes() const { return DTypeSize(dtype) * width(); }
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

struct NodeTypeSchema {
  std::string name;  // "node" in a homogeneous graph
  int64_t num_nodes = 0;
  std::optional<ColumnSchema> x;
  std::optional<ColumnSchema> y;
  bool timed = false;  // a time per node
  // Internal ids of partition p are [base[p], base[p + 1]); P + 1 entries.
  std::vector<int64_t> base;

  // The partition of an internal id. Requires 0 <= internal < num_nodes.
  uint32_t PartitionOf(int64_t internal) const;
};

struct EdgeTypeSchema {
  std::string src, rel, dst;  // "node", "to", "node" in a homogeneous graph
  int src_type = 0;           // index into node_types
  int dst_type = 0;
  int64_t num_edges = 0;
  std::optional<ColumnSchema> edge_attr;
  bool weighted = false;  // a weight per edge, stored as weight_dtype
  DType weight_dtype = DType::kFloat32;  // or kFloat64
  bool timed = false;                    // a time per edge
  bool neighbor_timed = false;           // the source type's nodes have times
  bool neighbor_ids = false;             // sources' original ids are stored
  bool degrees = false;                  // both ends' degrees are stored
  // rev_REL of REL: the same edges turned round, with the same ids.
  bool reverse = false;
  // Names of the masks of edges, ascending; a mask stores 0 or 1 an edge.
  std::vector<std::string> masks;
  std::vector<int64_t> partition_edges;  // edges in each partition

  std::string name() const { return src + "," + rel + "," + dst; }
};

// Whether it is an edge type's name: node types' hold no comma.
inline bool IsEdgeTypeName(std::string_view type) {
  return type.find(',') != std::string_view::npos;
}

// Numbers that a split stores of an edge: source, destination, edge id.
inline constexpr size_t kSplitEdgeNumbers = 3;

struct SplitSchema {
  std::string scheme;  // folder below OGB's split/; "" when it has none
  std::string type;    // a node type, or an edge type "src,rel,dst"
  std::string name;    // "train", "valid", "test", "test_neg"
  int64_t count = 0;   // nodes or edges

  bool of_edges() const { return IsEdgeTypeName(type); }
  // Of its array.
  std::vector<int64_t> shape() const {
    if (!of_edges()) return {count};
    return {count, static_cast<int64_t>(kSplitEdgeNumbers)};
  }
  // "public/train"; without a scheme "train".
  std::string full_name() const {
    return scheme.empty() ? name : scheme + "/" + name;
  }
};

struct FileSchema {
  std::string path;  // relative to the graph's folder, '/' between parts
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
};

struct GraphSchema {
  std::string name;
  uint32_t semantics_version = 0;
  bool heterogeneous = false;  // typed names in batches
  uint32_t num_partitions = 1;
  std::vector<NodeTypeSchema> node_types;  // names ascending bytewise
  std::vector<EdgeTypeSchema> edge_types;  // (src, rel, dst) ascending
  std::vector<SplitSchema> splits;
  std::vector<FileSchema> files;  // all but graph.json; paths ascend
  std::string partition_method;   // "random", "metis"
  std::string made_by;            // program, command line
  Sha256Digest content_digest{};
  Sha256Digest layout_digest{};

  // Canonical JSON: keys sorted, no spaces; layout_digest is over this text
  // without `layout_digest` and `made_by`.
  std::string ToJson() const;
  // INVALID_ARGUMENT or DATA_LOSS, naming the key, when it is no graph.json of
  // a version that this program reads, or contradicts itself.
  static absl::StatusOr<GraphSchema> FromJson(std::string_view json);
  Sha256Digest ComputeLayoutDigest() const;
  // -1 when there is none.
  int FindNodeType(std::string_view type_name) const;
  int FindEdgeType(std::string_view canonical_name) const;
  // The type that holds the same edges by their other ends; -1 when none does.
  int ReverseOf(int edge_type) const;
  // Of the types that users see.
  int64_t NumNodes() const;
  int64_t NumEdges() const;
  std::string EdgeTypeNames() const;  // separated by blanks
  // Whether users see the type: a homogeneous graph's own alone, not its
  // reverse, which is there for edge_dir.
  bool IsVisible(int edge_type) const {
    return heterogeneous || !edge_types[edge_type].reverse;
  }
  // The place among `splits` of the one of `type` that `split` names, "train"
  // or "SCHEME/train". NOT_FOUND lists those there are; INVALID_ARGUMENT when
  // several schemes have it.
  absl::StatusOr<size_t> FindSplit(std::string_view type,
                                   std::string_view split) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_SCHEMA_H_
