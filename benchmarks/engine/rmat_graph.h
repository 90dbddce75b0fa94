// An R-MAT graph made in memory, of one partition.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/io/buffer.h"
#include "partition/format/graph.h"

namespace tributary {

// A graph by Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph
// Mining", SDM 2004, with Graph500's a, b, c = 0.57, 0.19, 0.19 and scattered
// ids.
class RmatGraph final : public Graph {
 public:
  // Makes a graph of 2^scale nodes; ids in 32 bits, arrays in huge pages where
  // the system allows. Weights and times of edges are random: w' below 2^32,
  // times below kTimes.
  RmatGraph(int scale, int64_t num_edges, uint64_t seed);
  static constexpr int64_t kTimes = int64_t{1} << 20;

  // The graph's edges divided among kTypes types: edge e has type e mod kTypes.
  // Edge types that store no weights, times or neighbours' ids.
  static constexpr int kTypes = 4;
  const EdgePartition& typed_edges(int type) const {
    return parts_[static_cast<size_t>(type)].edges;
  }

  const GraphSchema& schema() const override { return schema_; }
  const std::string& schema_json() const override { return schema_json_; }
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
  struct Part {
    AlignedBuffer indptr, indices, edge_id;
    EdgePartition edges;
  };

  void FillEdges(int scale, int64_t num_edges, uint64_t seed);
  void FillWeights(uint64_t seed);
  void FillTimes(uint64_t seed);
  void FillPart(int type);
  void FillNodes();

  GraphSchema schema_;
  std::string schema_json_ = "{}";
  std::vector<uint32_t> partitions_ = {0};
  AlignedBuffer indptr_, indices_, edge_id_, orig_id_;
  AlignedBuffer weight_sum_, time_, time_position_, neighbor_id_;
  std::array<Part, kTypes> parts_;
  std::vector<uint8_t> partition_of_;
  std::vector<uint64_t> ranks_;
  NodeMap node_map_;
  NodePartition nodes_;
  EdgePartition edges_;
};

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_RMAT_GRAPH_H_
