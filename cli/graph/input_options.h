// Options that several commands about graphs on disk share.
#ifndef TRIBUTARY_CLI_GRAPH_INPUT_OPTIONS_H_
#define TRIBUTARY_CLI_GRAPH_INPUT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/schema/schema.h"

namespace CLI {
class App;
}

namespace tributary {

// --format, --add-reverse, --dedupe, --out-edges, --edge-weight, --edge-time,
// --node-time, --edge-masks, --edge-splits: how an input is read.
void AddInputFlags(CLI::App& app, InputOptions& options);
// What of them was given but --format, for graph.json: " --add-reverse".
std::string InputFlagsText(const InputOptions& options);

// --num-parts, --method, --neighbor-ids, --degrees and, with its text kept for
// strict reading, --random-seed.
struct PartitionFlags {
  std::string num_parts = "1";
  std::string method = "random";
  std::string random_seed = "0";
  bool neighbor_ids = false;
  bool degrees = false;
};
void AddPartitionFlags(CLI::App& app, PartitionFlags& flags);
// Which of them that store more were given, for graph.json: " --degrees".
std::string StoredFlagsText(const PartitionFlags& flags);
// Usage errors name the flag and what is allowed.
absl::StatusOr<PartitionOptions> ReadPartitionFlags(
    const PartitionFlags& flags);

// ALREADY_EXISTS when there is something at --out: better now than after
// minutes of reading.
absl::Status CheckOutIsFree(const std::string& folder);

// One line on stdout:
// wrote GRAPH nodes=N edges=E partitions=P content=HEX
void PrintWritten(const std::string& folder, const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_INPUT_OPTIONS_H_
