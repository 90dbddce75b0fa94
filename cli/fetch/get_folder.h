// Fetches a graph, or any folder, from an object store.
#ifndef TRIBUTARY_CLI_FETCH_GET_FOLDER_H_
#define TRIBUTARY_CLI_FETCH_GET_FOLDER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/fetch/fetch_files.h"
#include "cli/fetch/object_store.h"
#include "partition/schema/partition_choice.h"

namespace tributary {

struct GetOptions {
  std::string folder;          // to make
  PartitionChoice partitions;  // of a graph
  bool any_files = false;      // the objects are no graph
  FetchOptions fetch;
  absl::Duration retry_for = absl::Minutes(5);
};

struct Transferred {
  std::string name;      // of what is there now
  uint64_t files = 0;    // that were wanted, beside the manifest of the graph
  uint64_t bytes = 0;    // in these
  bool already = false;  // nothing had to be done
};

// Makes `folder` of the objects in `store`, by way of a StagedFolder. A graph
// that is complete gets the store's cache of hot rows and its hot lists, each
// by itself, where it has another one or none. Errors name the object or file:
// those of the store and of FetchFiles; ALREADY_EXISTS if the folder holds
// something else; RESOURCE_EXHAUSTED if the disk has too little room.
absl::StatusOr<Transferred> GetFolder(const GetOptions& options,
                                      ObjectStore& store);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_GET_FOLDER_H_
