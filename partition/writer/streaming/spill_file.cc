#include "partition/writer/streaming/spill_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

std::string IndexPath(const std::string& path) { return path + ".index"; }

absl::Status WriteAt(int fd, const std::string& path, uint64_t offset,
                     absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path, "write");
    offset += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status RemoveIfThere(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return PathError(path, "remove");
}

}  // namespace

absl::StatusOr<std::unique_ptr<SpillWriter>> SpillWriter::Create(
    const std::string& path, size_t num_buckets) {
  RETURN_IF_ERROR(RemoveIfThere(IndexPath(path)));
  RETURN_IF_ERROR(RemoveIfThere(path));
  UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return PathError(path, "create");
  return std::unique_ptr<SpillWriter>(
      new SpillWriter(path, std::move(fd), num_buckets));
}

absl::Status SpillWriter::Append(size_t bucket,
                                 absl::Span<const uint8_t> block) {
  if (block.empty()) return absl::OkStatus();
  uint64_t offset = 0;
  {
    MutexLock lock(mutex_);
    offset = end_;
    end_ += block.size();
    blocks_.push_back({bucket, offset, block.size()});
  }
  return WriteAt(fd_.get(), path_, offset, block);
}

absl::Status SpillWriter::Finish() {
  MutexLock lock(mutex_);
  std::vector<uint64_t> index = {num_buckets_};
  for (const Block& block : blocks_) {
    index.insert(index.end(), {block.bucket, block.offset, block.bytes});
  }
  const std::string temporary = IndexPath(path_) + ".tmp";
  RETURN_IF_ERROR(RemoveIfThere(temporary));
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  RETURN_IF_ERROR(file.Append({reinterpret_cast<const uint8_t*>(index.data()),
                               index.size() * sizeof(uint64_t)}));
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), IndexPath(path_).c_str()) != 0) {
    return PathError(IndexPath(path_), "rename a file to");
  }
  return absl::OkStatus();
}

bool SpillReader::IsComplete(const std::string& path) {
  return access(IndexPath(path).c_str(), F_OK) == 0;
}

absl::StatusOr<SpillReader> SpillReader::Open(const std::string& path) {
  const std::string index_path = IndexPath(path);
  ASSIGN_OR_RETURN(const UniqueFd index_fd, OpenForReading(index_path));
  struct stat info;
  if (fstat(index_fd.get(), &info) != 0) return PathError(index_path, "stat");
  std::vector<uint64_t> index(static_cast<size_t>(info.st_size) /
                              sizeof(uint64_t));
  RETURN_IF_ERROR(ReadExactly(index_fd.get(), index_path, 0,
                              reinterpret_cast<uint8_t*>(index.data()),
                              index.size() * sizeof(uint64_t)));
  SpillReader reader;
  reader.path_ = path;
  ASSIGN_OR_RETURN(reader.fd_, OpenForReading(path));
  const absl::Status damaged = absl::DataLossError(absl::StrCat(
      index_path, " is damaged; remove the work folder and begin anew"));
  if (index.empty() || index.size() % 3 != 1 || index[0] > UINT32_MAX) {
    return damaged;
  }
  reader.buckets_.resize(index[0]);
  for (size_t i = 1; i < index.size(); i += 3) {
    if (index[i] >= reader.buckets_.size()) return damaged;
    reader.buckets_[index[i]].push_back({index[i + 1], index[i + 2]});
  }
  return reader;
}

uint64_t SpillReader::bucket_bytes(size_t bucket) const {
  uint64_t bytes = 0;
  for (const Extent& extent : buckets_[bucket]) bytes += extent.bytes;
  return bytes;
}

absl::StatusOr<std::vector<uint8_t>> SpillReader::Read(size_t bucket) const {
  std::vector<uint8_t> bytes(bucket_bytes(bucket));
  size_t at = 0;
  for (const Extent& extent : buckets_[bucket]) {
    RETURN_IF_ERROR(ReadExactly(fd_.get(), path_, extent.offset,
                                bytes.data() + at, extent.bytes));
    at += extent.bytes;
  }
  return bytes;
}

}  // namespace tributary
