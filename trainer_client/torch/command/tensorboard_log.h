// Writes scalars as TensorBoard's event files. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TENSORBOARD_LOG_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TENSORBOARD_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/io/file_writer.h"

namespace tributary {

// One value of a chart; `tag` names the chart, "group/name" groups them.
struct TensorBoardScalar {
  std::string tag;
  double value = 0;  // stored as a float
};

// An event file of one run: `tensorboard --logdir FOLDER` shows it beside the
// others in the folder. Each event is written at once, so a run that is killed
// has lost none. Move-only; not thread-safe. Errors name the file.
class TensorBoardLog {
 public:
  // Creates FOLDER, where it is missing, and a new event file in it. A run that
  // resumes at step `resumed_at` passes it: TensorBoard then drops the points
  // from that step on that earlier files of the folder hold.
  static absl::StatusOr<TensorBoardLog> Create(
      const std::string& folder, absl::Time now,
      std::optional<uint64_t> resumed_at = std::nullopt);

  // Appends the scalars of a step. INVALID_ARGUMENT for a step above 2^63 - 1.
  absl::Status Add(uint64_t step, absl::Span<const TensorBoardScalar> scalars,
                   absl::Time now);
  // Flushes the file to the disk and closes it.
  absl::Status Close() { return file_.SyncAndClose(); }

  const std::string& path() const { return path_; }

 private:
  TensorBoardLog(std::string path, FileWriter file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileWriter file_;
};

// --- the format, for tests
// -------------------------------------------------------

// Returns the bytes of a record in TensorFlow's TFRecord format: length, masked
// CRC32C of it, data, masked CRC32C of them.
std::string TfRecord(const std::string& data);

// Return the bytes of messages `tensorflow.Event`: the first of a file, the
// mark of a run that begins at `step`, and scalars of a step.
std::string VersionEvent(absl::Time now);
std::string SessionStartEvent(uint64_t step, absl::Time now);
std::string ScalarEvent(uint64_t step,
                        absl::Span<const TensorBoardScalar> scalars,
                        absl::Time now);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TENSORBOARD_LOG_H_
