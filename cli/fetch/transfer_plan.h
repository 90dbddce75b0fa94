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

// A part of a graph's folder that is replaced by itself: the cache of hot rows,
// or a hot list.
struct PlannedPart {
  std::string name;                // its folder: "hot", "hot-lists/degree"
  Manifest manifest;               // "hot/hot.json"
  std::vector<PlannedFile> files;  // without the manifest
};

// The files that the folder shall have.
struct TransferPlan {
  Manifest manifest;
  std::string name;                // of the content, for messages: NAME@VERSION
  std::vector<PlannedFile> files;  // without the manifests
  std::vector<PlannedPart> parts;  // of a graph, if it has some

  // Returns all files but the manifests.
  std::vector<PlannedFile> AllFiles() const;
  // Returns the path of the manifest that has the file.
  const std::string& ListOf(const PlannedFile& file) const;
  // Return the number of files and their bytes, but for the manifest.
  uint64_t num_files() const;
  uint64_t bytes() const;
};

// The name of the manifest of folders that are no graphs.
inline constexpr char kListedFiles[] = ".tributary-fetch";

// Plans the files of a graph that a server of `partitions` reads. `json` is its
// graph.json. INVALID_ARGUMENT, with what is allowed, if the graph lacks one of
// the partitions.
absl::StatusOr<TransferPlan> PlanGraph(const GraphSchema& schema,
                                       std::string json,
                                       const PartitionChoice& partitions);

// Adds the cache of hot rows that hot.json, which lies in `hot`, describes: the
// files that a server of `partitions` reads. Errors as HotManifest::FromJson;
// FAILED_PRECONDITION for a cache of another layout; INVALID_ARGUMENT for a
// path that would leave the folder.
absl::Status AddHotCache(const GraphSchema& schema, std::string json,
                         const std::string& hot,
                         const PartitionChoice& partitions, TransferPlan& plan);
// Adds the hot list `name`, whose files.json lies in `list`: every server reads
// all of it. Errors as AddHotCache.
absl::Status AddHotList(const GraphSchema& schema, const std::string& name,
                        std::string json, const std::string& list,
                        TransferPlan& plan);
// Adds the cache and the lists of the graph in `folder`, if it has some.
absl::Status AddPartsOf(const std::string& folder, const GraphSchema& schema,
                        const PartitionChoice& partitions, TransferPlan& plan);

// Plans all of the objects. INVALID_ARGUMENT for a path that would leave the
// folder.
absl::StatusOr<TransferPlan> PlanObjects(
    const std::vector<ListedObject>& objects);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_TRANSFER_PLAN_H_
