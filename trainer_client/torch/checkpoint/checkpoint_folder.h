// Finds and checks the checkpoints of a run.
//
// A root folder holds one folder for each checkpoint, `step-000000001200`, with
// data files and a manifest that has their sizes and digests. A name that
// begins with `.tmp-step-` is of one that is being written or removed.
// docs/checkpoints.md describes the files.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_FOLDER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

namespace tributary {

inline constexpr char kUnfinishedPrefix[] = ".tmp-step-";

// Returns the name of the folder of the checkpoint after `step` steps.
std::string CheckpointFolderName(uint64_t step);
// Returns the step of such a name; nullopt for other names.
std::optional<uint64_t> StepOfCheckpointFolder(const std::string& name);

// A checkpoint whose manifest and files have been checked.
struct Checkpoint {
  std::string path;
  CheckpointManifest manifest;

  // Returns the path of a data file.
  std::string PathOf(const std::string& name) const {
    return path + "/" + name;
  }
};

// Reads the manifest in `path` and all of the files. Errors name the file and
// say in the first word what is wrong, as ParseManifest, and NOT_FOUND
// "half-written: ..." for a folder that has no manifest; otherwise the
// system's.
absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& path);

struct RefusedCheckpoint {
  std::string path;
  absl::Status why;  // as from ReadCheckpoint
};

struct CheckpointSearch {
  std::optional<Checkpoint> found;         // the newest that is valid
  std::vector<RefusedCheckpoint> refused;  // newer ones, the newest first
};

// Finds the checkpoint to resume from. `path` is a root folder, whose newest
// valid checkpoint (that of most steps) is found, or the folder of one
// checkpoint: then its error is returned if it is not valid. Other errors are
// the system's, if the folder cannot be read. Other files in a root folder are
// ignored.
absl::StatusOr<CheckpointSearch> FindCheckpoint(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_FOLDER_H_
