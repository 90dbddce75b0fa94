// Flags that several commands about graphs on disk share.
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

// Adds the flags that say how an input is read: --format, --add-reverse,
// --dedupe, --out-edges, --edge-weight, --edge-time, --node-time, --edge-masks,
// --edge-splits, --relation-names, and those of AddLayoutFlags. Parsing writes
// into `options`, which must outlive `app`.
void AddInputFlags(CLI::App& app, InputOptions& options);
// Returns the given ones but --format, as graph.json records them:
// " --add-reverse".
std::string InputFlagsText(const InputOptions& options);

// The flags --num-parts, --method, --balance, --imbalance, --objective,
// --assignment, --neighbor-ids, --degrees, --edge-index and --random-seed;
// numbers as text, which ReadPartitionFlags() parses strictly.
struct PartitionFlags {
  std::string num_parts = "1";
  std::string method = "random";
  std::string balance, imbalance, assignment;  // empty: not given
  std::string objective = "cut";
  std::string random_seed = "0";
  bool neighbor_ids = false;
  bool degrees = false;
  bool edge_index = false;
};
// Adds these flags but --random-seed. `flags` must outlive `app`.
void AddPartitionFlags(CLI::App& app, PartitionFlags& flags);
// Returns the given ones that store additional arrays, as graph.json records
// them: " --degrees".
std::string StoredFlagsText(const PartitionFlags& flags);
// Returns a usage error, with the flag and what is allowed, for a wrong value.
absl::StatusOr<PartitionOptions> ReadPartitionFlags(
    const PartitionFlags& flags);

// Returns ALREADY_EXISTS if something exists at --out: early, rather than after
// minutes of reading. A usage error for an empty path.
absl::Status CheckOutIsFree(const std::string& folder);

// Prints one line on stdout:
// wrote GRAPH nodes=N edges=E partitions=P content=HEX
void PrintWritten(const std::string& folder, const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_INPUT_OPTIONS_H_
