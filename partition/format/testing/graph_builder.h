// Tiny graphs for tests, drawn as edge lists.
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

// A homogeneous graph: node type "node", edge type "node,to,node".
struct GraphSpec {
  std::string name = "test";
  int64_t num_nodes = 0;
  // {source, destination}; the edge's id is its place here. With {u, v}, u is
  // a neighbour that may be drawn for v.
  std::vector<std::pair<int64_t, int64_t>> edges;
  bool add_reverse = false;  // edge i becomes 2i and, turned round, 2i + 1
  bool dedupe = false;

  uint32_t num_partitions = 1;
  std::vector<uint16_t> partition_of;  // empty: original id modulo P

  // Row-major, a row per node or per edge given; empty: the graph has none.
  std::vector<float> x;  // [num_nodes, x_dim]
  int64_t x_dim = 1;
  std::vector<int64_t> y;        // [num_nodes]
  std::vector<float> edge_attr;  // [edges, edge_attr_dim]
  int64_t edge_attr_dim = 1;
  std::vector<int64_t> node_time;        // [num_nodes]
  std::vector<double> weight;            // [edges]; stored as weight_dtype
  DType weight_dtype = DType::kFloat64;  // or kFloat32
  std::vector<int64_t> edge_time;        // [edges]
  std::map<std::string, std::vector<uint8_t>> masks;  // by name: [edges], 0, 1
  bool neighbor_ids = false;
  bool degrees = false;

  // "train" or "SCHEME/train"; original ids, order and duplicates kept.
  std::map<std::string, std::vector<int64_t>> splits;
  // Of edges: source, destination, edge id or -1, for each edge.
  std::map<std::string, std::vector<int64_t>> edge_splits;
};

// These end the test's process, with the cause, when the spec makes no graph.

GraphContent MakeContent(const GraphSpec& spec);

// Writes the graph to a folder that must not exist.
void WriteGraphTo(const GraphSpec& spec, const std::string& folder);

// Writes it to a temporary folder, opens it (options: see Graph::Open) and
// removes the folder: the mappings live on. Nothing is left behind.
std::shared_ptr<const Graph> BuildGraph(const GraphSpec& spec,
                                        const OpenOptions& options = {});

// A new empty folder below TEST_TMPDIR (else /tmp), and its removal.
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
