// Writes a checkpoint that appears complete or not at all.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_WRITER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"
#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

namespace tributary {

// One checkpoint while it is written, by one rank. Its data files are written
// into a folder `.tmp-step-...`, which Commit() gives its final name; without
// Commit() the destructor removes it. After a crash at any instant the
// checkpoints that were there are still usable. Move-only; not thread-safe.
//
//   ASSIGN_OR_RETURN(auto writer, CheckpointWriter::Create(root, step));
//   ASSIGN_OR_RETURN(auto path, writer.PathFor("model.safetensors"));
//   RETURN_IF_ERROR(WriteSafetensors(path, tensors));
//   RETURN_IF_ERROR(writer.Commit(manifest));
class CheckpointWriter {
 public:
  static constexpr size_t kKeep = 2;

  // Creates `root` if it is missing, removes what earlier writers left
  // unfinished, and creates the temporary folder. Locks `root` while the object
  // lives, where the file system can. FAILED_PRECONDITION if another writer is
  // at work there, or if `root` holds a valid checkpoint of more steps: that is
  // of another run, and would be found instead of this one.
  static absl::StatusOr<CheckpointWriter> Create(const std::string& root,
                                                 uint64_t step);
  ~CheckpointWriter();
  CheckpointWriter(CheckpointWriter&& other) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&& other) = delete;

  // Returns where to write the data file `name`. INVALID_ARGUMENT unless
  // IsCheckpointFileName.
  absl::StatusOr<std::string> PathFor(const std::string& name);

  // Flushes the files, adds their sizes and digests and the step to `manifest`,
  // writes it, and gives the folder its final name; a checkpoint of the same
  // step is replaced, at one instant where the file system can (Linux's
  // RENAME_EXCHANGE). Then removes all checkpoints of fewer steps but the
  // newest, so that `keep` (1 or more) remain with this one. NOT_FOUND if a
  // file was asked for and not written. Called once. If only the removal of old
  // ones failed, committed() is true beside the error.
  absl::Status Commit(CheckpointManifest manifest, size_t keep = kKeep);

  // Returns whether the checkpoint is complete, under its final path.
  bool committed() const { return committed_; }
  const std::string& path() const { return path_; }

 private:
  CheckpointWriter(std::string root, uint64_t step, UniqueFd lock);

  absl::Status Finish(CheckpointManifest& manifest);
  absl::Status AddFiles(CheckpointManifest& manifest) const;
  absl::Status RemoveOld(size_t keep) const;

  std::string root_;
  uint64_t step_ = 0;
  UniqueFd lock_;
  std::string temporary_;        // empty after a move
  std::string path_;             // the final one
  std::set<std::string> names_;  // handed out by PathFor
  bool committed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_CHECKPOINT_WRITER_H_
