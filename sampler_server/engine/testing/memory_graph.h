// A graph held in memory, of several types and partitions, for tests that make
// thousands of them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_MEMORY_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_MEMORY_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "partition/format/graph.h"

namespace tributary {

// A graph as its user sees it: original ids throughout.
struct MemoryGraphSpec {
  struct NodeType {
    std::string name = "node";
    int64_t num_nodes = 0;
    int64_t x_dim = 0;   // 0: no features; else value (node, j) = node + j / 8
    bool has_y = false;  // the node's id times 3
    std::vector<uint16_t> partition_of;  // empty: id modulo P
    std::vector<int64_t> time;           // [num_nodes]; empty: none
    bool scaled = false;  // whether x is stored as scaled rows of int8
  };
  struct EdgeType {
    std::string name() const { return src + "," + rel + "," + dst; }

    std::string src = "node", rel = "to", dst = "node";
    std::vector<std::pair<int64_t, int64_t>> edges;  // id: place here
    bool has_attr = false;       // float32 [1]: the edge's id times 2
    std::vector<double> weight;  // by edge; empty: none
    std::vector<int64_t> time;   // by edge; empty: none
    bool reverse = false;        // as EdgeTypeSchema's; see AddReverses
    std::map<std::string, std::vector<uint8_t>> masks;  // each by edge, 0 or 1
    bool scaled = false;  // whether attributes are stored as scaled rows
  };
  std::vector<NodeType> node_types;  // names ascending
  std::vector<EdgeType> edge_types;  // canonical order
  uint32_t num_partitions = 1;
  bool heterogeneous = false;
  bool wide_ids = false;  // indices, edge ids and positions in 64 bits
  bool neighbor_ids = false;
};

// Adds rev_REL of every edge type, which users of homogeneous graphs do not
// see.
void AddReverses(MemoryGraphSpec* graph);
// Once more, where it did so before: for what changed since.
void RenewReverses(MemoryGraphSpec* graph);

class MemoryGraph final : public Graph {
 public:
  // All partitions are mapped.
  static std::shared_ptr<MemoryGraph> Make(const MemoryGraphSpec& spec);
  // Returns a graph of the same arrays with only these partitions mapped.
  std::shared_ptr<MemoryGraph> Only(const std::set<uint32_t>& partitions) const;

  const GraphSchema& schema() const override { return content_->schema; }
  const std::string& schema_json() const override { return schema_json_; }
  const std::vector<uint32_t>& partitions() const override { return mapped_; }
  const NodePartition* nodes(int node_type, uint32_t p) const override;
  const EdgePartition* edges(int edge_type, uint32_t p) const override;
  // Always there.
  const DegreeArrays* degrees(int edge_type) const override {
    return &content_->degrees[edge_type].view;
  }
  const NodeMap& node_map(int node_type) const override {
    return content_->maps[node_type];
  }
  absl::StatusOr<absl::Span<const int64_t>> Split(
      int node_type, std::string_view name) const override;

  // For tests that damage what is stored.
  std::vector<uint64_t>& indptr(int edge_type, uint32_t p) {
    return content_->edges[edge_type][p].indptr;
  }
  std::vector<uint32_t>& indices(int edge_type, uint32_t p) {
    return content_->edges[edge_type][p].indices.narrow;
  }
  // Returns in-degrees by original id. Requires a graph without wide_ids.
  std::vector<uint32_t>& in_degrees(int edge_type) {
    return content_->degrees[edge_type].in.narrow;
  }

 private:
  struct NodeArrays {
    std::vector<int64_t> orig_id;
    std::vector<float> x;
    std::vector<uint8_t> scaled_x;  // the stored rows of x, if they are scaled
    std::vector<int64_t> y;
    std::vector<int64_t> time;
    NodePartition view;
  };
  // Held in both widths; the view is of one.
  struct Ids {
    std::vector<uint32_t> narrow;
    std::vector<uint64_t> wide;
    void Push(uint64_t id);
    IdArray View(bool as_wide) const;
  };
  struct TimeArrays {
    std::vector<int64_t> time;
    Ids position;
  };
  struct EdgeArrays {
    std::vector<uint64_t> indptr;
    Ids indices, edge_id, neighbor_id;
    std::vector<float> attr;
    std::vector<uint8_t> scaled_attr;
    std::vector<double> weight;
    std::vector<uint64_t> weight_sum;
    std::vector<std::vector<uint8_t>> masks;
    TimeArrays edge_time, neighbor_time;
    EdgePartition view;
  };
  struct Degrees {
    Ids in, out;
    DegreeArrays view;
  };
  struct Content {
    GraphSchema schema;
    std::vector<std::vector<NodeArrays>> nodes;  // [type][partition]
    std::vector<std::vector<EdgeArrays>> edges;
    std::vector<Degrees> degrees;  // [edge type]
    std::vector<std::vector<uint16_t>> partition_of;
    std::vector<std::vector<uint64_t>> ranks;
    std::vector<NodeMap> maps;
    std::vector<std::vector<int64_t>> internal;  // [type][original id]
  };

  static void AddNodeType(const MemoryGraphSpec& spec,
                          const MemoryGraphSpec::NodeType& type, Content* c);
  static void AddEdgeType(const MemoryGraphSpec& spec,
                          const MemoryGraphSpec::EdgeType& type, Content* c);
  static void AddDegrees(const MemoryGraphSpec& spec,
                         const MemoryGraphSpec::EdgeType& type, Content* c);
  static void AddWeights(EdgeArrays* part);
  static void MakeView(bool wide, EdgeArrays* part);
  // times: [edges] in canonical order.
  static void AddTimeOrder(const EdgeArrays& part,
                           const std::vector<int64_t>& times, TimeArrays* to);

  std::shared_ptr<Content> content_;
  std::vector<uint32_t> mapped_;
  std::string schema_json_ = "{}";
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_MEMORY_GRAPH_H_
