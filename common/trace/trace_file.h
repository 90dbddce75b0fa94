// A file that lines of traces are appended to.
#ifndef TRIBUTARY_COMMON_TRACE_TRACE_FILE_H_
#define TRIBUTARY_COMMON_TRACE_TRACE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Appends whole lines to a regular file, each by one call of the system in
// append mode, so that several processes of a machine may share it. What goes
// wrong is logged once, as a warning, and ends the writing: a trace is not
// worth a run. Only a full disk can leave an incomplete line, the last one.
// Thread-safe; Append waits for the file system.
class TraceFile {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  // Opens `path` for appending; a file that is not there is created for its
  // owner alone (0600). The file grows to `max_bytes` at most, over all who
  // write to it. INVALID_ARGUMENT for what is no regular file; otherwise the
  // system's error, each with the path.
  static absl::StatusOr<std::unique_ptr<TraceFile>> Open(
      const std::string& path, uint64_t max_bytes = kMostBytes);

  // Appends `line`, which has no line end, and a line end. Does nothing once
  // the writing has ended.
  void Append(absl::string_view line);

 private:
  TraceFile(UniqueFd file, std::string path, uint64_t max_bytes);
  void Write(absl::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UniqueFd file_;
  const std::string path_;
  const uint64_t max_bytes_;
  Mutex mutex_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_TRACE_FILE_H_
