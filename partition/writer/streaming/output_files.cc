#include "partition/writer/streaming/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/path_error.h"
#include "common/io/unique_fd.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// A file that has this much waits no longer for the others.
constexpr size_t kFlushAt = size_t{1} << 20;

absl::Status CreateParent(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  if (!error) return absl::OkStatus();
  errno = error.value();
  return PathError(path, "create the folder of");
}

// Cuts off what was written after the state.
absl::Status CutTo(const std::string& path, uint64_t bytes) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT && bytes == 0) return absl::OkStatus();
    return PathError(path, "stat");
  }
  if (static_cast<uint64_t>(info.st_size) < bytes) {
    return absl::DataLossError(absl::StrCat(
        path, " has ", info.st_size, " bytes where ", bytes,
        " had been written; remove the work folder and begin anew"));
  }
  if (truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) {
    return PathError(path, "truncate");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFiles>> OutputFiles::Open(
    const std::string& folder, std::vector<OutputArray> arrays,
    absl::Span<const OutputState> states, uint64_t buffer_bytes) {
  std::vector<File> files;
  files.reserve(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const OutputArray& array = arrays[i];
    File file;
    file.path = absl::StrCat(folder, "/", array.path);
    const std::string header = FormatNpyHeader(array.type, array.shape);
    file.wanted_bytes = array.type.size;
    for (int64_t dim : array.shape) {
      file.wanted_bytes *= static_cast<uint64_t>(dim);
    }
    file.wanted_bytes += header.size();
    if (!states.empty()) file.state = states[i];
    RETURN_IF_ERROR(CreateParent(file.path));
    RETURN_IF_ERROR(CutTo(file.path, file.state.bytes));
    if (file.state.bytes == 0) {
      file.buffer.assign(header.begin(), header.end());
    }
    files.push_back(std::move(file));
  }
  std::unique_ptr<OutputFiles> output(
      new OutputFiles(std::move(files), buffer_bytes));
  for (const File& file : output->files_) {
    output->buffered_ += file.buffer.size();
  }
  return output;
}

absl::Status OutputFiles::Append(size_t array,
                                 absl::Span<const uint8_t> bytes) {
  File& file = files_[array];
  file.buffer.insert(file.buffer.end(), bytes.begin(), bytes.end());
  buffered_ += bytes.size();
  if (file.buffer.size() >= kFlushAt) return FlushOne(file);
  return buffered_ <= buffer_bytes_ ? absl::OkStatus() : Flush().status();
}

absl::Status OutputFiles::FlushOne(File& file) {
  if (file.buffer.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(FaultPoint("graph.write_array"));
  const UniqueFd fd(
      open(file.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) return PathError(file.path, "create");
  uint64_t offset = file.state.bytes;
  absl::Span<const uint8_t> bytes = file.buffer;
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd.get(), bytes.data(), bytes.size(),
                             static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(file.path, "write");
    offset += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  file.state.crc32c = ExtendCrc32c(file.state.crc32c, file.buffer);
  file.state.bytes = offset;
  buffered_ -= file.buffer.size();
  // Frees the memory of a file that is large, once, rather than keep it.
  if (file.buffer.capacity() > 2 * kFlushAt) {
    std::vector<uint8_t>().swap(file.buffer);
  } else {
    file.buffer.clear();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OutputState>> OutputFiles::Flush() {
  std::vector<OutputState> states;
  states.reserve(files_.size());
  for (File& file : files_) {
    RETURN_IF_ERROR(FlushOne(file));
    states.push_back(file.state);
  }
  return states;
}

absl::Status OutputFiles::CheckComplete() const {
  for (const File& file : files_) {
    if (file.state.bytes + file.buffer.size() == file.wanted_bytes) continue;
    return absl::InternalError(
        absl::StrCat(file.path, " has ", file.state.bytes + file.buffer.size(),
                     " bytes, not the ", file.wanted_bytes, " of its shape"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
