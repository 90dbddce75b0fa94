#include "common/io/file_mapping.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/io/map_aligned.h"
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

// Whether its file system keeps files in memory alone.
bool LiesInMemory(int fd) {
  struct statfs info {};
  if (fstatfs(fd, &info) != 0) return false;
  return info.f_type == TMPFS_MAGIC || info.f_type == HUGETLBFS_MAGIC ||
         info.f_type == RAMFS_MAGIC;
}

// Maps `bytes`, a multiple of a huge page, for a copy of the file. Null if
// there is no memory; with `reserved` that is an error.
absl::StatusOr<uint8_t*> MapForCopy(const std::string& path, size_t bytes,
                                    bool reserved) {
  if (reserved) {
    void* const data =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);
    if (data != MAP_FAILED) return static_cast<uint8_t*>(data);
    return absl::ResourceExhaustedError(absl::StrCat(
        path, ": the system has too few reserved huge pages for a copy of it, ",
        bytes / kHugePage,
        " of 2 MiB; allowed: to reserve more (sysctl "
        "vm.nr_hugepages)"));
  }
  uint8_t* const data = MapAligned(bytes, kHugePage);
  if (data != nullptr) AdviseHugePages(data, bytes);
  return data;
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
    FileMapping file(static_cast<uint8_t*>(copy), size, /*mapped=*/0);
    ASSIGN_OR_RETURN(file.size_, ReadUpTo(fd, path, copy, size));
    return file;
  }
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return MapError(path);
  AdviseHugePages(data, size);
  return FileMapping(static_cast<uint8_t*>(data), size, size);
}

absl::StatusOr<FileMapping> FileMapping::Copy(
    const std::string& path, bool reserved,
    const std::function<bool()>& cancelled) {
  constexpr size_t kReadAtOnce = size_t{64} << 20;
  ASSIGN_OR_RETURN(const auto opened, OpenRegular(path));
  const auto [fd, size] = opened;
  const auto close_fd = absl::MakeCleanup([fd = fd] { close(fd); });
  if (size < kHugePage || LiesInMemory(fd)) return Open(path);
  const size_t mapped = AlignUp(size, kHugePage);
  ASSIGN_OR_RETURN(uint8_t* const data, MapForCopy(path, mapped, reserved));
  if (data == nullptr) return Open(path);
  FileMapping file(data, size, mapped, /*is_copy=*/true);
  for (size_t at = 0; at < size; at += kReadAtOnce) {
    if (cancelled()) {
      return absl::CancelledError(
          absl::StrCat(path, ": copying was cancelled"));
    }
    const size_t wanted = std::min(kReadAtOnce, size - at);
    ASSIGN_OR_RETURN(const size_t have, ReadUpTo(fd, path, data + at, wanted));
    if (have == wanted) continue;
    file.size_ = at + have;  // it has become shorter
    break;
  }
  // The copy is what is read from now on.
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  (void)mprotect(data, mapped, PROT_READ);
  return file;
}

void FileMapping::Guard(const std::string& path,
                        std::shared_ptr<MappingDamage> damage) {
  if (mapped_ == 0 || is_copy_) return;
  guard_ =
      std::make_unique<MappingGuard>(data_, size_, path, std::move(damage));
}

FileMapping::~FileMapping() {
  guard_.reset();  // before another mapping may take the place
  if (mapped_ == 0) {
    std::free(data_);
  } else {
    munmap(data_, mapped_);
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
