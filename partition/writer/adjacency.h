// The in-edges of every node, by original ids and in canonical order.
#ifndef TRIBUTARY_PARTITION_WRITER_ADJACENCY_H_
#define TRIBUTARY_PARTITION_WRITER_ADJACENCY_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Edges in the order of the input: row i goes from src[i] to dst[i].
struct EdgeRows {
  std::vector<int64_t> src;
  std::vector<int64_t> dst;
};

struct AdjacencyOptions {
  // Row i becomes edge 2i as it is and edge 2i + 1 turned round; a self loop
  // becomes two. Needs equal end types.
  bool add_reverse = false;
  // Of edges with the same ends, keep the one with the lowest id. After
  // add_reverse.
  bool dedupe = false;
};

struct InEdge {
  int64_t neighbor = 0;  // original id of the source
  int64_t edge_id = 0;
  friend bool operator==(const InEdge&, const InEdge&) = default;
};

// Compressed rows: node v's in-edges are positions [indptr()[v],
// indptr()[v + 1]), ascending by (neighbor, edge id). 8 bytes an edge when
// nodes and edge ids fit 32 bits, else 16. Immutable and thread-safe.
class Adjacency {
 public:
  Adjacency() = default;
  // Edge ids are input rows (with add_reverse: twice as many). OUT_OF_RANGE
  // names the first row with an end that is no node. Takes the rows' memory.
  static absl::StatusOr<Adjacency> FromRows(EdgeRows rows, int64_t num_src,
                                            int64_t num_dst,
                                            const AdjacencyOptions& options);
  // Rows as `fill` gives them: for readers of graphs, who check the order.
  // fill(node, row) sets all of `row`, which has degrees[node] edges with
  // neighbours below num_src and ids up to max_edge_id; it is called from
  // several threads, and its first error is returned.
  static absl::StatusOr<Adjacency> FromSortedRows(
      absl::Span<const uint64_t> degrees, int64_t num_src, int64_t max_edge_id,
      absl::FunctionRef<absl::Status(int64_t node, absl::Span<InEdge> row)>
          fill);

  // The same edges by the node that they come from: node u's row holds those
  // that lead from it, with their destinations for neighbours. `num_src`
  // nodes that the neighbours are of.
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
  // -1 when there are no edges.
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
