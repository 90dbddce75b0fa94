// Stores a graph's folder in an object store.
#ifndef TRIBUTARY_CLI_FETCH_PUT_GRAPH_H_
#define TRIBUTARY_CLI_FETCH_PUT_GRAPH_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/fetch/get_folder.h"
#include "cli/fetch/object_store.h"

namespace tributary {

struct PutOptions {
  std::string folder;  // of a graph, with all partitions
  int jobs = 8;        // objects at a time
  absl::Duration retry_for = absl::Minutes(5);
};

// Stores all files, then hot/hot.json, if there is a cache of hot rows, and
// graph.json, so that a reader never finds half a graph. A stored graph gets
// the folder's cache, if the store has another one or none. Objects that an
// earlier run has stored, which their length and the checksum in their content
// type show, are not stored again. Each file's checksum is computed while it is
// read.
//
// ALREADY_EXISTS if the store has another graph.json; DATA_LOSS for a damaged
// file; otherwise the store's and the disk's errors.
absl::StatusOr<Transferred> PutGraph(const PutOptions& options,
                                     ObjectStore& store);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_PUT_GRAPH_H_
