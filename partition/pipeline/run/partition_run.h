// The way from a user's files to a graph folder, in bounded memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_RUN_PARTITION_RUN_H_
#define TRIBUTARY_PARTITION_PIPELINE_RUN_PARTITION_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/schema/schema.h"
#include "partition/writer/writer.h"

namespace tributary {

// What is made of which files, and within what bounds.
struct PartitionRun {
  InputOptions input;
  PartitionOptions partition;
  WriteOptions write;
  std::string out;  // must not exist
  // Whether a hot list is made of the graph afterwards, for which the disk must
  // have room, too.
  bool hot_list = false;
  // Spilled edges and parsed columns; on the file system of `out`. Empty:
  // OUT.partial.
  std::string work_folder;
  uint64_t memory_bytes = uint64_t{4} << 30;  // of the whole process
  int threads = 1;
  // Both may be null. `note` is called with what was left out of the input,
  // which node types have no features, and when an earlier run is continued;
  // `progress` from several threads.
  std::function<void(std::string_view)> note;
  std::function<void(std::string_view stage, int64_t done, int64_t total)>
      progress;
};

// Reads the input, places the nodes, writes the graph and returns its schema.
// After a kill the same call goes on and writes the same bytes. After
// RESOURCE_EXHAUSTED, such as a full disk, UNAVAILABLE and ABORTED the work
// folder is kept and named, for the next call, if there is anything in it; any
// other error leaves nothing behind. A disk without room for the columns of the
// input is refused before anything is parsed. Errors as ReadSource, PlanSource
// and WriteGraphStreaming.
absl::StatusOr<GraphSchema> RunPartition(const PartitionRun& run);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_RUN_PARTITION_RUN_H_
