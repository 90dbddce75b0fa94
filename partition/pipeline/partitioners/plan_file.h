// Keeps a finished plan in the work folder of a run.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PLAN_FILE_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PLAN_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_options.h"
#include "partition/source/graph_source.h"

namespace tributary {

// The files plan-<type>.npy, uint16 [num_nodes] by the type's position, and
// plan.txt, written last, with the options, the counts and the files' CRC32C.
// Immutable and thread-safe.
class PlanFile {
 public:
  // Uses the folder `folder`, which must exist; "" keeps nothing.
  PlanFile(std::string folder, const GraphSource& graph,
           const PartitionOptions& options);

  // Reads the plan that was saved for the same options and counts; returns
  // false if there is none or if it is damaged. The system's error with the
  // path if it cannot be read.
  absl::StatusOr<bool> Find(
      std::vector<std::vector<uint16_t>>& partition_of) const;
  // Replaces what the folder has by this plan.
  absl::Status Save(
      const std::vector<std::vector<uint16_t>>& partition_of) const;

 private:
  std::string ArrayPath(size_t type) const;
  std::string ListPath() const;

  const std::string folder_;
  std::string key_;  // options and counts, one line each
  std::vector<int64_t> num_nodes_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PLAN_FILE_H_
