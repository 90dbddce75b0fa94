// A user's graph, read from one of the input formats.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

struct InputOptions {
  std::string folder;
  std::string format = "ogb";
  bool add_reverse = false;
  bool dedupe = false;
  bool out_edges = false;  // of a homogeneous graph: see AddOutEdges
  std::string name;        // empty: the folder's
  // Files of one number an edge or node beside the format's own, by their names
  // without .csv.gz: "edge_year" is raw/edge_year.csv.gz.
  std::optional<std::string> edge_weight;
  std::optional<std::string> edge_time;
  std::optional<std::string> node_time;
  // The same of 0 or 1 an edge: the names of masks, and of their files.
  std::vector<std::string> edge_masks;
  // Split schemes whose numbers are rows of edges, not nodes.
  std::vector<std::string> edge_splits;
};

struct Input {
  GraphContent content;
  std::vector<std::string> notes;  // what was left out, for the user
};

// INVALID_ARGUMENT with file, line and what is allowed, UNIMPLEMENTED for a
// format that is not built, DATA_LOSS for damaged files, NOT_FOUND.
absl::StatusOr<Input> ReadInput(const InputOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
