// Writes a graph's content to a graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "partition/writer/content.h"

namespace tributary {

// The assignment of nodes to partitions.
struct NodePlan {
  uint32_t num_partitions = 1;
  std::string method;  // as in graph.json: "random", "metis"
  // The partition of each node, by node type and original id.
  std::vector<std::vector<uint16_t>> partition_of;
};

// Options of WriteGraph.
struct WriteOptions {
  std::string made_by;  // program and command line, for graph.json
  bool flush = true;    // flush to the disk before the folder appears
  // Store the original ids of edges' sources too, for the kinds of sampling
  // that draw by them.
  bool neighbor_ids = false;
  // Store the degrees of nodes in each edge type, for draws by degree and for
  // batches with degrees.
  bool degrees = false;
  // Store the places of edges by their ids, for look-ups by edge id.
  bool edge_index = false;
};

// Writes `content` to `folder`, which must not exist, and returns the schema in
// its graph.json. Writes to a temporary folder beside it, which is flushed and
// renamed, so that it appears complete or not at all. Uses all cores. Takes, in
// addition to the content, 18 bytes per node and a few MiB per core; if edges
// have weights or times, also 24 bytes per core for each in-edge of the node
// with the most; with degrees, 8 bytes per source; with an edge index, 10 bytes
// per edge id of a type.
//
// ALREADY_EXISTS; INVALID_ARGUMENT or OUT_OF_RANGE if content and plan do not
// match; the system's error, with the path, if writing fails.
absl::StatusOr<GraphSchema> WriteGraph(const GraphContent& content,
                                       NodePlan plan, const std::string& folder,
                                       const WriteOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_WRITER_H_
