// Orders the nodes of one type for a hot list.
#ifndef TRIBUTARY_PARTITION_WRITER_HOT_NODE_RANKING_H_
#define TRIBUTARY_PARTITION_WRITER_HOT_NODE_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"

namespace tributary {

// The nodes of one type by rank: descending by how often they are read, then by
// out-degree over all edge types from the type, then ascending by original id.
// Nothing of it depends on the graph's partitions. Holds 12 bytes for each node
// of the type. Not thread-safe.
class NodeRanking {
 public:
  static constexpr uint64_t kNodeBytes = 12;

  // `graph` has all partitions, and outlives the ranking. `counts`: reads by
  // original id, or empty. DATA_LOSS for original or internal ids that the type
  // does not have, and for an original id that is there twice.
  static absl::StatusOr<NodeRanking> Make(const Graph& graph, int node_type,
                                          absl::Span<const uint32_t> counts);

  size_t size() const { return nodes_.size(); }
  int64_t IdAt(size_t rank) const { return nodes_[rank].id; }
  uint32_t RankOf(int64_t original_id) const {
    return nodes_[static_cast<size_t>(original_id)].degree_or_rank;
  }
  // Computes the CRC32C of each row as it is stored, of x and then of y, in one
  // pass over the features; CrcAt is valid afterwards. DATA_LOSS or ABORTED,
  // naming the file, for a row that cannot be read.
  absl::Status ReadCrcs();
  uint32_t CrcAt(size_t rank) const { return nodes_[rank].count_or_crc; }

 private:
  // Until they are sorted, by internal id. Then `id` and `count_or_crc` are
  // those of the node at the rank, and `degree_or_rank` is the rank of the node
  // with the original id, so that one array holds both directions.
  struct Node {
    uint32_t count_or_crc = 0;
    uint32_t degree_or_rank = 0;
    uint32_t id = 0;
  };
  static_assert(sizeof(Node) == kNodeBytes);

  NodeRanking(const Graph& graph, int node_type);
  absl::Status CountOutEdges();
  absl::Status TakeIds(absl::Span<const uint32_t> counts);
  absl::Status Sort();
  absl::Status Wrong(const char* what, uint64_t id, uint32_t partition) const;

  const Graph* graph_;
  int type_;
  std::vector<Node> nodes_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_HOT_NODE_RANKING_H_
