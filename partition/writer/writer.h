// Writes a graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "partition/writer/content.h"

namespace tributary {

// Which partition each node goes to.
struct NodePlan {
  uint32_t num_partitions = 1;
  std::string method;  // as graph.json names it: "random", "metis"
  // By node type and original id.
  std::vector<std::vector<uint16_t>> partition_of;
};

struct WriteOptions {
  std::string made_by;  // program and command line, for graph.json
  bool flush = true;    // to the disk, before the folder appears
  // Store the original ids of edges' sources too, for the kinds of sampling
  // that draw by them.
  bool neighbor_ids = false;
  // Store how many edges of each type each node has, for negatives by degree.
  bool degrees = false;
};

// Writes `content` to `folder`, which must not exist: into a temporary folder
// beside it, flushed and renamed, so that it appears whole or not at
// all. Uses all cores and, beside the content, 18 bytes a node and a few MiB a
// core; where edges have weights or times, also 24 bytes a core for each
// in-edge of the node that has most, with degrees 8 bytes a source. Returns
// what graph.json says.
//
// ALREADY_EXISTS; INVALID_ARGUMENT or OUT_OF_RANGE when content and plan do not
// fit each other; what the system says, with the path, when writing fails.
absl::StatusOr<GraphSchema> WriteGraph(const GraphContent& content,
                                       NodePlan plan, const std::string& folder,
                                       const WriteOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_WRITER_H_
