// An R-MAT graph made in memory, of one partition.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/buffer.h"
#include "partition/format/graph.h"

namespace tributary {

// Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph Mining",
// SDM 2004, with Graph500's a, b, c = 0.57, 0.19, 0.19 and scattered ids.
class RmatGraph final : public Graph {
 public:
  // 2^scale nodes; ids in 32 bits, arrays in huge pages where allowed.
  RmatGraph(int scale, int64_t num_edges, uint64_t seed);

  const GraphSchema& schema() const override { return schema_; }
  const std::string& json() const override { return json_; }
  const std::vector<uint32_t>& partitions() const override {
    return partitions_;
  }
  const NodePartition* nodes(int, uint32_t p) const override {
    return p == 0 ? &nodes_ : nullptr;
  }
  const EdgePartition* edges(int, uint32_t p) const override {
    return p == 0 ? &edges_ : nullptr;
  }
  const NodeMap& node_map(int) const override { return node_map_; }
  absl::StatusOr<absl::Span<const int64_t>> Split(
      int, std::string_view) const override {
    return absl::NotFoundError("an R-MAT graph in memory has no splits");
  }

 private:
  void FillEdges(int scale, int64_t num_edges, uint64_t seed);
  void FillNodes();

  GraphSchema schema_;
  std::string json_ = "{}";
  std::vector<uint32_t> partitions_ = {0};
  AlignedBuffer indptr_, indices_, edge_id_, orig_id_;
  std::vector<uint8_t> partition_of_;
  std::vector<uint64_t> ranks_;
  NodeMap node_map_;
  NodePartition nodes_;
  EdgePartition edges_;
};

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_
