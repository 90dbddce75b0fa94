// The metadata.json of DGL's chunked graph format.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_METADATA_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_METADATA_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// One array in files, one after another.
struct ChunkFiles {
  enum class Format { kCsv, kNumpy, kParquet };

  Format format = Format::kNumpy;
  char delimiter = ',';            // of kCsv
  std::vector<std::string> paths;  // as they are written; not empty
  std::string where;               // for messages
};

// How many nodes or edges there are of a type.
struct ChunkCounts {
  int64_t total = 0;
  // The counts by chunk; empty if the file says only the total.
  std::vector<int64_t> by_chunk;
};

struct DglNodeType {
  std::string name;
  ChunkCounts nodes;
  std::map<std::string, ChunkFiles> data;  // by name: "feat"
};

struct DglEdgeType {
  std::string src, rel, dst;
  ChunkCounts edges;
  // The ends, [E, 2]: source and destination; without paths if there are no
  // edges.
  ChunkFiles ends;
  std::map<std::string, ChunkFiles> data;  // by name

  // Returns the name in the file: "author:writes:paper".
  std::string name() const { return src + ":" + rel + ":" + dst; }
};

// What the file says. The types are in the file's order.
struct DglMetadata {
  std::string graph_name;
  std::vector<DglNodeType> node_types;
  std::vector<DglEdgeType> edge_types;
  // Keys that have no meaning in the format, for the user.
  std::vector<std::string> other_keys;
};

// Parses metadata.json as DGL's chunk_graph.py and its user guide (7.1) write
// it: numbers of nodes and edges either by chunk (num_nodes_per_chunk, a list
// of lists) or by type (num_nodes_per_type). `origin` is the file's path, for
// messages. INVALID_ARGUMENT with the key, what is wrong and what is allowed.
absl::StatusOr<DglMetadata> ParseDglMetadata(absl::string_view text,
                                             const std::string& origin);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_METADATA_H_
