// Snapshots of the tensors of a run, for its checkpoints.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_SNAPSHOT_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_SNAPSHOT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {

// The file that lists a snapshot's tensors, beside the files of their rows.
inline constexpr char kTensorsFile[] = "tensors.json";

// Returns where to write a file of that name (a checkpoint's PathFor).
using SnapshotPath =
    std::function<absl::StatusOr<std::string>(const std::string& name)>;

// Writes the rows that were ever written of every tensor of the attempt, with
// their optimizers' state, by original id, and the number of rounds. A
// collective; all ranks must have closed the same rounds, and no rank writes
// while it runs. Rank 0 writes the files, which hold no more than what servers
// hold, and gives its error to all. Files: tensors.json, and for tensor i and
// column c `tensor-<i>-<c>.npy`.
absl::Status WriteTensorSnapshot(DistContext& context,
                                 const SnapshotPath& path_for);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_SNAPSHOT_H_
