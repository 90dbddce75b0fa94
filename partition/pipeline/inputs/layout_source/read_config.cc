#include "partition/pipeline/inputs/layout_source/read_config.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/layout/layout_json.h"

namespace tributary {
namespace {

// The config says all about files and columns: a flag beside it would be
// another answer to the same question.
absl::Status CheckNoOtherFlags(const InputOptions& options) {
  std::string given = LayoutFlagsText(options.layout);
  if (!options.layout.node_files.empty()) given += " --nodes";
  if (options.edge_weight.has_value()) given += " --edge-weight";
  if (options.edge_time.has_value()) given += " --edge-time";
  if (options.node_time.has_value()) given += " --node-time";
  if (!options.edge_masks.empty()) given += " --edge-masks";
  if (!options.edge_splits.empty()) given += " --edge-splits";
  if (given.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--config with", given,
                   "; allowed: one of them, since the "
                   "config has keys for these"));
}

}  // namespace

LayoutReading ReadingOf(const InputOptions& options,
                        const GraphLayout& layout) {
  LayoutReading reading;
  reading.add_reverse = options.add_reverse;
  reading.dedupe = options.dedupe;
  reading.name = layout.name;
  reading.memory = options.step_memory;
  return reading;
}

absl::StatusOr<GraphSource> ReadConfig(const InputOptions& options,
                                       const Spool& spool) {
  RETURN_IF_ERROR(CheckNoOtherFlags(options));
  ASSIGN_OR_RETURN(GraphLayout layout, ReadGraphLayout(*options.layout.config));
  if (!options.folder.empty()) layout.folder = options.folder;
  return ReadLayout(layout, ReadingOf(options, layout), spool);
}

}  // namespace tributary
