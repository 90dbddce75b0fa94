// A graph on disk, mapped for reading: all or some of its partitions.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/format/edge_index.h"
#include "partition/format/id_array.h"
#include "partition/format/node_map.h"
#include "partition/format/row_file.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/huge_pages.h"
#include "partition/schema/schema.h"

namespace tributary {

// Columns of the nodes of one type in one partition; row = internal id - base.
struct NodePartition {
  absl::Span<const int64_t> orig_id;  // [rows], ascending
  absl::Span<const uint8_t> x;        // [rows * row_bytes], or empty
  absl::Span<const uint8_t> y;
  absl::Span<const int64_t> time;  // [rows], or empty
  // If x is read from its file instead of mapped: that file, and x is empty.
  // Otherwise null.
  const RowFile* x_file = nullptr;
};

// The in-edges of every row, sorted by (time, canonical position). Empty if the
// edge type has no such time.
struct TimeOrder {
  absl::Span<const int64_t> time;  // [edges], ascending within a row
  IdArray position;  // [edges] canonical position in the row of each rank
};

// Columns of the edges of one type whose destinations are in one partition, by
// destination row. The edges of a row are in canonical order: ascending by the
// neighbour's original id, then by edge id.
struct EdgePartition {
  absl::Span<const uint64_t> indptr;    // [rows + 1]
  IdArray indices;                      // [edges] internal ids of sources
  IdArray edge_id;                      // [edges]
  absl::Span<const uint8_t> edge_attr;  // [edges * row_bytes], or empty
  // The user's weights, float32 or float64 as the schema says; or empty.
  absl::Span<const uint8_t> weight;
  // [edges], or empty: within each row, the sum of the integer weights of
  // positions 0..p, inclusive (see docs/graph-format.md); a row's total is its
  // last sum.
  absl::Span<const uint64_t> weight_sum;
  TimeOrder edge_time;      // of the edges' own times
  TimeOrder neighbor_time;  // of the sources' node times
  IdArray neighbor_id;      // [edges] sources' original ids; or empty
  // One array [edges] of 0 and 1 for each name in the schema's `masks`.
  std::vector<absl::Span<const uint8_t>> masks;
  // The file that batches' rows of edge_attr are read from, or null. The column
  // is mapped in any case, for draws that read single values of it.
  const RowFile* edge_attr_file = nullptr;
};

// The degrees of nodes in one edge type, by original id.
struct DegreeArrays {
  IdArray in;   // [nodes of the destination type]
  IdArray out;  // [nodes of the source type]
};

// Options of Graph::Open.
struct OpenOptions {
  std::vector<uint32_t> partitions;  // partitions to map; empty: all
  bool verify = false;               // read every byte and check its CRC32C
  FeatureMemory features = FeatureMemory::kResident;
  // Bytes that the arrays may take; not used with kResident.
  uint64_t memory = UINT64_MAX;
  HugePages huge_pages = HugePages::kOff;
  uint64_t copy_memory = 0;  // bytes that copies may take, with kAuto
  // Called before each array and while bytes are checked; if it returns true,
  // Open returns CANCELLED.
  std::function<bool()> cancelled = [] { return false; };
};

// A graph opened for reading; owns its mappings. Open checks graph.json, every
// mapped file's length and header, and that indptr ascends and is in range.
// `indices`, which cannot be checked without reading all of them, are checked
// where they are used. Virtual, so that tests can replace it. Immutable and
// thread-safe.
//
//   ASSIGN_OR_RETURN(auto graph, Graph::Open("cora4", {.partitions = {0, 1}}));
//   const EdgePartition* edges = graph->edges(/*edge_type=*/0,
//   /*partition=*/1);
class Graph {
 public:
  // Opens the graph in `folder`. NOT_FOUND, DATA_LOSS or INVALID_ARGUMENT,
  // naming the file; FAILED_PRECONDITION if what must be in memory does not
  // fit; CANCELLED.
  static absl::StatusOr<std::shared_ptr<const Graph>> Open(
      const std::string& folder, const OpenOptions& options = {});
  virtual ~Graph() = default;

  virtual const GraphSchema& schema() const = 0;
  // graph.json without its list of files, as servers send it to clients. The
  // list grows with partitions and types and is needed only to read the folder.
  virtual const std::string& schema_json() const = 0;
  // The memory that copies of arrays take (HugePages).
  virtual uint64_t copied_bytes() const { return 0; }
  // The partitions that are mapped, ascending.
  virtual const std::vector<uint32_t>& partitions() const = 0;
  // Returns ABORTED, naming the file, once bytes of a mapped file were lost
  // (mapping_guard.h): what was read of the graph since may be zeros. Whoever
  // reads the graph looks at this before it uses the result.
  virtual absl::Status damage() const { return absl::OkStatus(); }
  // Whether x and edge_attr are read from their files.
  virtual bool reads_features() const { return false; }
  // Return the columns of one type in one partition; null if it is not mapped.
  virtual const NodePartition* nodes(int node_type,
                                     uint32_t partition) const = 0;
  virtual const EdgePartition* edges(int edge_type,
                                     uint32_t partition) const = 0;
  // Returns the node map of a type, independent of the partitions mapped.
  virtual const NodeMap& node_map(int node_type) const = 0;
  // Returns the degrees of all nodes, independent of the partitions mapped;
  // null if the graph stores none.
  virtual const DegreeArrays* degrees(int edge_type) const {
    (void)edge_type;
    return nullptr;
  }
  // Returns the places of the type's edges, independent of the partitions
  // mapped; null if the graph stores none (see --edge-index).
  virtual const EdgeIndex* edge_index(int edge_type) const {
    (void)edge_type;
    return nullptr;
  }
  // Returns a split's original ids in file order. `name` is "train" or
  // "SCHEME/train". NOT_FOUND lists the splits there are; INVALID_ARGUMENT if
  // several schemes have it.
  virtual absl::StatusOr<absl::Span<const int64_t>> Split(
      int node_type, std::string_view name) const = 0;
  // Like Split for a split of edges: source, destination (original ids) and
  // edge id for each edge; the edge id is -1 if the graph has no such edge.
  virtual absl::StatusOr<absl::Span<const int64_t>> EdgeSplit(
      int edge_type, std::string_view name) const {
    const auto at =
        schema().FindSplit(schema().edge_types[edge_type].name(), name);
    if (!at.ok()) return at.status();
    return absl::UnimplementedError("this graph stores no splits of edges");
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_H_
