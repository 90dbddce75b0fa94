// The short forms of --config, for graphs of one type.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_FLAGS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout/graph_layout.h"

namespace tributary {

// The flags of `tributary partition` that say where an edge list's values are.
// Columns are names of the header or numbers from 0.
struct LayoutFlags {
  std::optional<std::string> config;     // --config FILE
  std::optional<std::string> ids;        // auto, dense, number, string
  std::optional<std::string> delimiter;  // comma, tab, ..., or itself
  std::optional<std::string> header;     // yes, no
  std::optional<std::string> num_nodes;
  std::vector<std::string> node_files;
  std::optional<std::string> src, dst;  // default: columns 0 and 1
  std::vector<std::string> edge_features;
  std::optional<std::string> node_id;
  std::vector<std::string> features, labels;
  std::optional<std::string> split;
};

// Fills what the flags say of tables: GraphLayout's ids, delimiter, header, and
// of its only types the ends, features, labels, split and count. Requires that
// `layout` has one node type and one edge type. INVALID_ARGUMENT names the flag
// and what is allowed.
absl::Status ApplyFlags(const LayoutFlags& flags, GraphLayout& layout);

// Returns the flags that were given but --config, with their values, as in
// graph.json's made_by: " --ids dense".
std::string LayoutFlagsText(const LayoutFlags& flags);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_FLAGS_H_
