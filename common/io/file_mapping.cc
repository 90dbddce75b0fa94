#include "common/io/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/io/path_error.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status NotRegular(const std::string& path, const char* kind) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is ", kind, "; allowed: a regular file"));
}

const char* KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  return S_ISFIFO(mode) ? "a FIFO" : "a device";
}

// Files up to this size, a page, are read.
constexpr size_t kMostBytesRead = 4096;

absl::Status MapError(const std::string& path) {
  const bool no_memory = errno == ENOMEM;
  const absl::Status status = PathError(path, "map");
  if (!no_memory) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(
          status.message(),
          "; allowed: as many mappings in a process as sysctl "
          "vm.max_map_count says: raise it, or open fewer partitions"));
}

// Reads up to `size` bytes, fewer at the end of the file; returns their number.
absl::StatusOr<size_t> ReadUpTo(int fd, const std::string& path, void* to,
                                size_t size) {
  size_t have = 0;
  while (have < size) {
    const ssize_t n = read(fd, static_cast<char*>(to) + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path, "read");
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  return have;
}

absl::StatusOr<std::pair<int, size_t>> OpenRegular(const std::string& path) {
  size_t size = 0;
  ASSIGN_OR_RETURN(const int fd, OpenRegularFile(path, &size));
  return std::make_pair(fd, size);
}

}  // namespace

absl::StatusOr<int> OpenRegularFile(const std::string& path, size_t* size) {
  // Without O_NONBLOCK, opening a FIFO that nobody writes to would block for
  // ever.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENXIO) return NotRegular(path, "a socket");
  if (fd < 0) return PathError(path, "open");
  struct stat info {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    if (size != nullptr) *size = static_cast<size_t>(info.st_size);
    return fd;
  }
  close(fd);
  return NotRegular(path, KindOf(info.st_mode));
}

absl::StatusOr<FileMapping> FileMapping::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const auto opened, OpenRegular(path));
  const auto [fd, size] = opened;
  const auto close_fd = absl::MakeCleanup([fd = fd] { close(fd); });
  if (size == 0) return FileMapping();
  if (size <= kMostBytesRead) {
    void* const copy =
        std::aligned_alloc(kCacheLine, AlignUp(size, kCacheLine));
    if (copy == nullptr) return PathError(path, "read");
    FileMapping file(static_cast<uint8_t*>(copy), size);
    ASSIGN_OR_RETURN(file.size_, ReadUpTo(fd, path, copy, size));
    return file;
  }
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return MapError(path);
  AdviseHugePages(data, size);
  return FileMapping(static_cast<uint8_t*>(data), size);
}

void FileMapping::Guard(const std::string& path,
                        std::shared_ptr<MappingDamage> damage) {
  if (size_ <= kMostBytesRead) return;
  guard_ =
      std::make_unique<MappingGuard>(data_, size_, path, std::move(damage));
}

FileMapping::~FileMapping() {
  guard_.reset();  // before another mapping may take the place
  if (size_ <= kMostBytesRead) {
    std::free(data_);
  } else {
    munmap(data_, size_);
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes) {
  ASSIGN_OR_RETURN(const auto opened, OpenRegular(path));
  const auto [fd, size] = opened;
  const auto close_fd = absl::MakeCleanup([fd = fd] { close(fd); });
  if (size > max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        path, " has ", size, " bytes; at most ", max_bytes, " are read"));
  }
  std::string text(size, '\0');
  ASSIGN_OR_RETURN(const size_t have, ReadUpTo(fd, path, text.data(), size));
  text.resize(have);
  return text;
}

}  // namespace tributary
