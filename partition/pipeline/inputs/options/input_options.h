// The options of an input, as the flags of a command give them.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OPTIONS_INPUT_OPTIONS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OPTIONS_INPUT_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/tensor/dtype.h"
#include "partition/pipeline/inputs/layout/layout_flags.h"

namespace tributary {

// Which folder to read, in which format, and what to do with the edges.
struct InputOptions {
  std::string folder;
  std::string format = "ogb";
  bool add_reverse = false;
  bool dedupe = false;
  // float16, bfloat16 or int8: features in this precision (see
  // ConvertFeatures).
  std::optional<DType> feature_dtype;
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
  // The names of a knowledge graph's relations: "file", if it has one, or
  // "numbers", for r0, r1, ...
  std::string relation_names = "file";
  LayoutFlags layout;  // of edge lists and arrays
  // Bytes for a step that needs memory: sorting ids, ordering rows.
  size_t step_memory = size_t{256} << 20;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OPTIONS_INPUT_OPTIONS_H_
