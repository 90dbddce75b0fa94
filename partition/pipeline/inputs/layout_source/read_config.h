// Reads a graph by --config.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_CONFIG_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_CONFIG_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout_source/layout_reader.h"
#include "partition/pipeline/inputs/options/input_options.h"

namespace tributary {

// Returns what the options say beside the layout.
LayoutReading ReadingOf(const InputOptions& options, const GraphLayout& layout);

// Reads the graph that options.layout.config describes; its paths are relative
// to options.folder, or if that is empty to the config's folder. Requires a
// config. INVALID_ARGUMENT for flags that the config replaces; otherwise as
// ReadGraphLayout and ReadLayout.
absl::StatusOr<GraphSource> ReadConfig(const InputOptions& options,
                                       const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_CONFIG_H_
