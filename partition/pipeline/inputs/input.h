// Reads a user's graph in one of the input formats.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"
#include "partition/writer/content.h"

namespace tributary {

// Which folder to read, in which format, and what to do with the edges.
struct InputOptions {
  std::string folder;
  std::string format = "ogb";
  bool add_reverse = false;
  bool dedupe = false;
  bool out_edges = false;  // for homogeneous graphs: see AddOutEdges
  std::string name;        // the graph's name; empty: the folder's name
  // Files with one number per edge or node in addition to the format's own, by
  // name without .csv.gz: "edge_year" is raw/edge_year.csv.gz.
  std::optional<std::string> edge_weight;
  std::optional<std::string> edge_time;
  std::optional<std::string> node_time;
  // Such files with 0 or 1 per edge; a file's name is the mask's name.
  std::vector<std::string> edge_masks;
  // Split schemes whose numbers are rows of the edge file, not nodes.
  std::vector<std::string> edge_splits;
};

// Returns the formats that ReadSource reads, by name.
std::vector<std::string> InputFormats();

// Describes a graph whose columns are read in ranges; text is parsed into
// `spool`, which must outlive the result, in bounded memory. INVALID_ARGUMENT
// with file, line and what is allowed, also for an unknown format; DATA_LOSS
// for damaged files; NOT_FOUND.
absl::StatusOr<GraphSource> ReadSource(const InputOptions& options,
                                       const Spool& spool);

// A graph that was read into memory.
struct Input {
  GraphContent content;
  std::vector<std::string> notes;  // what was left out, for the user
};

// Reads a graph into memory, by way of a spool in a folder of its own below the
// system's folder for temporary files (TMPDIR). Errors as ReadSource and
// LoadContent; INVALID_ARGUMENT for more nodes than memory holds.
absl::StatusOr<Input> ReadInput(const InputOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
