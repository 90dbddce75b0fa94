// The places of the nodes and edges of a partitioned graph: DGL's partition
// book.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_PARTITION_BOOK_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_PARTITION_BOOK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/graph/graph_lookups.h"

namespace tributary {

// Returns the index of a node type, or of the only one if `name` is empty.
// INVALID_ARGUMENT lists the types.
absl::StatusOr<int> ResolveNodeType(const GraphSchema& schema,
                                    const std::string& name);
// Returns the index of an edge type that users see: "src,rel,dst", or "rel" if
// only one type has it, or empty for the only one. INVALID_ARGUMENT lists the
// types.
absl::StatusOr<int> ResolveEdgeType(const GraphSchema& schema,
                                    const std::string& name);

// One partition, as DGL's metadata() has it.
struct PartitionMetadata {
  uint32_t partition = 0;
  std::vector<int64_t> num_nodes;   // by node type
  std::vector<int64_t> num_edges;   // by edge type that users see
  std::vector<std::string> owners;  // addresses of servers that are up
};

// Ids of all types as one range, in the order of the types: DGL's homogeneous
// ids.
struct TypedIds {
  std::vector<int> types;    // positions in ntypes() or etypes()
  std::vector<int64_t> ids;  // within these types
};

// Answers from the servers, by original ids: trainers hold no node map. Types
// may be empty where there is one. What looks up edges by id needs a graph
// partitioned with --edge-index (FAILED_PRECONDITION else). Errors as of
// GraphLookups. Thread-safe.
class PartitionBook {
 public:
  // `lookups` must outlive it.
  explicit PartitionBook(const GraphLookups* lookups);

  uint32_t num_partitions() const { return schema().num_partitions; }
  // Names of node types, and canonical names of the edge types that users see.
  const std::vector<std::string>& ntypes() const { return ntypes_; }
  const std::vector<std::string>& etypes() const { return etypes_; }
  std::vector<PartitionMetadata> Metadata() const;

  // The partition of each node or edge: nid2partid, eid2partid.
  absl::StatusOr<std::vector<uint32_t>> NodePartitions(
      absl::Span<const int64_t> ids, const std::string& node_type = "") const;
  absl::StatusOr<std::vector<uint32_t>> EdgePartitions(
      absl::Span<const int64_t> ids, const std::string& edge_type = "") const;
  // The original ids of a partition's nodes, ascending, and the ids of its
  // edges, those that end at its nodes, ascending: partid2nids, partid2eids.
  // Edges need no index.
  absl::StatusOr<std::vector<int64_t>> NodesOf(
      uint32_t partition, const std::string& node_type = "") const;
  absl::StatusOr<std::vector<int64_t>> EdgesOf(
      uint32_t partition, const std::string& edge_type = "") const;

  // Internal ids are those of batches' kernels and of the folder: base[p] +
  // row.
  absl::StatusOr<std::vector<int64_t>> ToInternal(
      absl::Span<const int64_t> ids, const std::string& node_type = "") const;
  absl::StatusOr<std::vector<int64_t>> ToOriginal(
      absl::Span<const int64_t> internal,
      const std::string& node_type = "") const;

  // Typed and homogeneous ids: map_to_homo_nid, map_to_per_ntype and the same
  // for edges. Arithmetic, without a call. OUT_OF_RANGE.
  absl::StatusOr<std::vector<int64_t>> ToHomogeneousNodes(
      absl::Span<const int64_t> ids, const std::string& node_type) const;
  absl::StatusOr<TypedIds> ToTypedNodes(absl::Span<const int64_t> ids) const;
  absl::StatusOr<std::vector<int64_t>> ToHomogeneousEdges(
      absl::Span<const int64_t> ids, const std::string& edge_type) const;
  absl::StatusOr<TypedIds> ToTypedEdges(absl::Span<const int64_t> ids) const;

  const GraphSchema& schema() const { return lookups_->schema(); }

 private:
  // The ids that a type has: with an edge index up to the largest id.
  int64_t EdgeIdsOf(int edge_type) const;

  const GraphLookups* const lookups_;
  std::vector<std::string> ntypes_, etypes_;
  std::vector<int> visible_;  // indices of etypes_ in the schema
  // Where each type begins among homogeneous ids, and the end of the last.
  std::vector<int64_t> node_offsets_, edge_offsets_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_PARTITION_BOOK_H_
