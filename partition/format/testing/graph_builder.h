// Tiny graphs for tests, given as edge lists.
#ifndef TRIBUTARY_PARTITION_FORMAT_TESTING_GRAPH_BUILDER_H_
#define TRIBUTARY_PARTITION_FORMAT_TESTING_GRAPH_BUILDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "partition/format/graph.h"
#include "partition/writer/content.h"

namespace tributary {

// Describes a homogeneous graph: node type "node", edge type "node,to,node".
//
//   auto graph = BuildGraph({.num_nodes = 3, .edges = {{1, 0}, {2, 0}}});
struct GraphSpec {
  std::string name = "test";
  int64_t num_nodes = 0;
  // {source, destination}; the index is the edge's id. In {u, v}, u is a
  // neighbour that may be drawn for v.
  std::vector<std::pair<int64_t, int64_t>> edges;
  bool add_reverse = false;  // edge i becomes edge 2i and its reverse 2i + 1
  bool dedupe = false;

  uint32_t num_partitions = 1;
  std::vector<uint16_t> partition_of;  // empty: original id modulo P

  // Row-major, one row per node or per given edge; empty: the graph has no such
  // column.
  std::vector<float> x;  // [num_nodes, x_dim]
  int64_t x_dim = 1;
  std::vector<int64_t> y;        // [num_nodes]
  std::vector<float> edge_attr;  // [edges, edge_attr_dim]
  int64_t edge_attr_dim = 1;
  bool scaled = false;  // x and edge_attr are stored as scaled rows of int8
  std::vector<int64_t> node_time;        // [num_nodes]
  std::vector<double> weight;            // [edges]; stored as weight_dtype
  DType weight_dtype = DType::kFloat64;  // or kFloat32
  std::vector<int64_t> edge_time;        // [edges]
  std::map<std::string, std::vector<uint8_t>> masks;  // by name: [edges], 0, 1
  bool neighbor_ids = false;
  bool degrees = false;
  bool edge_index = false;

  // By "train" or "SCHEME/train": original ids, with order and duplicates kept.
  std::map<std::string, std::vector<int64_t>> splits;
  // Splits of edges: source, destination, and edge id or -1, for each edge.
  std::map<std::string, std::vector<int64_t>> edge_splits;
};

// These functions print the cause and end the process if `spec` describes no
// graph.

// Returns the graph's content by original ids.
GraphContent MakeContent(const GraphSpec& spec);

// Writes the graph to `folder`, which must not exist.
void WriteGraphTo(const GraphSpec& spec, const std::string& folder);

// Writes the graph to a temporary folder, opens it with `options` (see
// Graph::Open) and removes the folder; the mappings stay valid.
std::shared_ptr<const Graph> BuildGraph(const GraphSpec& spec,
                                        const OpenOptions& options = {});

// Creates an empty folder below TEST_TMPDIR (or /tmp) and removes it at
// destruction.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_TESTING_GRAPH_BUILDER_H_
