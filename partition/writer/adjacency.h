// The in-edges of every node, by original ids, in canonical order.
#ifndef TRIBUTARY_PARTITION_WRITER_ADJACENCY_H_
#define TRIBUTARY_PARTITION_WRITER_ADJACENCY_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Edges in input order: row i leads from src[i] to dst[i].
struct EdgeRows {
  std::vector<int64_t> src;
  std::vector<int64_t> dst;
};

// Changes to the edges of the input.
struct AdjacencyOptions {
  // Row i becomes edge 2i and, with its ends exchanged, edge 2i + 1; a self
  // loop becomes two edges. Requires equal end types.
  bool add_reverse = false;
  // Keeps, of edges with the same ends, the one with the lowest id. Applied
  // after add_reverse.
  bool dedupe = false;
};

// An in-edge of a given node.
struct InEdge {
  int64_t neighbor = 0;  // original id of the source
  int64_t edge_id = 0;
  friend bool operator==(const InEdge&, const InEdge&) = default;
};

// Compressed rows of in-edges: those of node v are at positions [indptr()[v],
// indptr()[v + 1]), ascending by (neighbor, edge id). Takes 8 bytes per edge if
// nodes and edge ids fit in 32 bits, otherwise 16. Immutable and thread-safe.
class Adjacency {
 public:
  Adjacency() = default;
  // Builds the adjacency of `rows`, whose memory it takes. Edge ids are row
  // numbers (with add_reverse twice as many). OUT_OF_RANGE names the first row
  // with an end that is no node.
  static absl::StatusOr<Adjacency> FromRows(EdgeRows rows, int64_t num_src,
                                            int64_t num_dst,
                                            const AdjacencyOptions& options);
  // Builds the adjacency from rows that `fill` provides in canonical order,
  // which the caller must check. fill(node, row) sets all of `row`, which has
  // degrees[node] edges, with neighbours below num_src and ids up to
  // max_edge_id. It is called from several threads; its first error is
  // returned.
  static absl::StatusOr<Adjacency> FromSortedRows(
      absl::Span<const uint64_t> degrees, int64_t num_src, int64_t max_edge_id,
      absl::FunctionRef<absl::Status(int64_t node, absl::Span<InEdge> row)>
          fill);

  // Returns the same edges by source: node u's row holds the edges that lead
  // from it, with their destinations as neighbours. There are `num_src` source
  // nodes.
  Adjacency Transposed(int64_t num_src) const;

  int64_t num_nodes() const { return static_cast<int64_t>(indptr_.size()) - 1; }
  int64_t num_edges() const { return static_cast<int64_t>(indptr_.back()); }
  absl::Span<const uint64_t> indptr() const { return indptr_; }
  uint64_t degree(int64_t node) const {
    return indptr_[node + 1] - indptr_[node];
  }
  InEdge edge(uint64_t position) const {
    if (wide_) return Unpack(wide_edges_[position]);
    const uint64_t packed = narrow_edges_[position];
    return {static_cast<int64_t>(packed >> 32),
            static_cast<int64_t>(packed & 0xffffffff)};
  }
  // The largest edge id; -1 if there are no edges.
  int64_t max_edge_id() const { return max_edge_id_; }

 private:
  using Wide = unsigned __int128;
  static InEdge Unpack(Wide packed) {
    return {static_cast<int64_t>(packed >> 64),
            static_cast<int64_t>(static_cast<uint64_t>(packed))};
  }

  std::vector<uint64_t> indptr_ = {0};
  bool wide_ = false;
  std::vector<uint64_t> narrow_edges_;  // neighbor << 32 | edge id
  std::vector<Wide> wide_edges_;        // neighbor << 64 | edge id
  int64_t max_edge_id_ = -1;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ADJACENCY_H_
