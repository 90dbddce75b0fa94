// The manifest of a checkpoint: the contents of checkpoint.json.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_MANIFEST_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "trainer_client/core/session/cursor.h"

namespace tributary {

inline constexpr char kManifestName[] = "checkpoint.json";
// The version of the manifest and of the folder around it that this program
// writes and reads. Every version begins and ends alike (docs/checkpoints.md).
inline constexpr uint64_t kCheckpointVersion = 1;

// A data file of a checkpoint.
struct CheckpointFile {
  std::string name;  // as IsCheckpointFileName allows
  uint64_t bytes = 0;
  Sha256Digest sha256{};
  friend bool operator==(const CheckpointFile&,
                         const CheckpointFile&) = default;
};

// Where a run is, and what it needs to go on.
struct CheckpointManifest {
  std::string created_by;   // program and version, for people
  uint64_t step = 0;        // optimizer steps done since the run began
  uint64_t epoch = 0;       // the epoch that the next step belongs to, from 0
  uint64_t attempt = 0;     // how many times the run was started before
  uint64_t world_size = 1;  // ranks; may be another when it is resumed
  Cursor cursor;            // of the loader of training batches
  std::string options;      // what the job was run with, as text
  // Sums of the running epoch, such as of losses; stored to the bit.
  std::map<std::string, double> epoch_sums;
  std::vector<CheckpointFile> files;
};

// Returns whether a data file may have this name: 1 to 100 letters, digits,
// '-', '_' and '.', none of them in front a '.'; not checkpoint.json.
bool IsCheckpointFileName(const std::string& name);

// Returns the text of checkpoint.json, which ends in a SHA-256 of what precedes
// it. Bytes that are no UTF-8 are replaced.
std::string FormatManifest(const CheckpointManifest& manifest);

// Parses checkpoint.json. Messages say in the first word what is wrong:
// INVALID_ARGUMENT "foreign: ..." if another program wrote it; DATA_LOSS
// "damaged: ..." if the SHA-256 or the contents are wrong; UNIMPLEMENTED
// "older: ..." or "newer: ..." for another version of the layout.
absl::StatusOr<CheckpointManifest> ParseManifest(const std::string& text);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_MANIFEST_H_
