// The files to transfer, and how they are told apart from others.
#ifndef TRIBUTARY_CLI_FETCH_TRANSFER_PLAN_H_
#define TRIBUTARY_CLI_FETCH_TRANSFER_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/fetch/object_store.h"
#include "partition/schema/partition_choice.h"
#include "partition/schema/schema.h"

namespace tributary {

struct PlannedFile {
  std::string path;  // relative to the folder
  uint64_t bytes = 0;
  std::optional<uint32_t> crc32c;  // none: only the length is known
};

// A file that is written as it is, and identifies the folder's content:
// graph.json, or the list of a folder that is no graph.
struct Manifest {
  std::string path;
  std::string text;
};

// The files that the folder shall have.
struct TransferPlan {
  Manifest manifest;
  std::string name;                // of the content, for messages: NAME@VERSION
  std::vector<PlannedFile> files;  // without the manifest

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const PlannedFile& file : files) sum += file.bytes;
    return sum;
  }
};

// The name of the manifest of folders that are no graphs.
inline constexpr char kListedFiles[] = ".tributary-fetch";

// Plans the files of a graph that a server of `partitions` reads. `json` is its
// graph.json. INVALID_ARGUMENT, with what is allowed, if the graph lacks one of
// the partitions.
absl::StatusOr<TransferPlan> PlanGraph(const GraphSchema& schema,
                                       std::string json,
                                       const PartitionChoice& partitions);

// Plans all of the objects. INVALID_ARGUMENT for a path that would leave the
// folder.
absl::StatusOr<TransferPlan> PlanObjects(
    const std::vector<ListedObject>& objects);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_TRANSFER_PLAN_H_
