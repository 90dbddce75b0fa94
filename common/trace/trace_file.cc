#include "common/trace/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/observe/log.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<TraceFile>> TraceFile::Open(
    const std::string& path, uint64_t max_bytes) {
  // Without O_NONBLOCK a pipe without a reader would be waited for.
  UniqueFd file(open(path.c_str(),
                     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                     0600));
  struct stat info;
  if (!file.valid() || fstat(file.get(), &info) != 0) {
    return PathError(path, "open");
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no regular file"));
  }
  return std::unique_ptr<TraceFile>(
      new TraceFile(std::move(file), path, max_bytes));
}

TraceFile::TraceFile(UniqueFd file, std::string path, uint64_t max_bytes)
    : file_(std::move(file)), path_(std::move(path)), max_bytes_(max_bytes) {}

void TraceFile::Append(absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  MutexLock lock(mutex_);
  if (ended_) return;
  struct stat info;
  if (fstat(file_.get(), &info) != 0) return End(std::strerror(errno));
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size + text.size() > max_bytes_) {
    return End(
        absl::StrCat("it has ", size, " of at most ", max_bytes_, " bytes"));
  }
  Write(text);
}

void TraceFile::Write(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return End(std::strerror(errno));
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void TraceFile::End(absl::string_view why) {
  ended_ = true;
  Log(LogLevel::kWarning,
      absl::StrCat("no more traces are written to ", path_, ": ", why));
}

}  // namespace tributary
