// Opens, maps or reads whole regular files.
#ifndef TRIBUTARY_COMMON_IO_FILE_MAPPING_H_
#define TRIBUTARY_COMMON_IO_FILE_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/mapping_guard.h"

namespace tributary {

// Opens `path` for reading and returns a close-on-exec descriptor that the
// caller must close; sets `size` if not null. Never blocks: INVALID_ARGUMENT
// for a FIFO, socket, device or folder; otherwise the system's error with the
// path.
absl::StatusOr<int> OpenRegularFile(const std::string& path,
                                    size_t* size = nullptr);

// Owns a shared read-only mapping of a whole file, or a copy of it; a file of
// at most a page it reads, since a process may have only some 65,000 mappings,
// and a graph of hundreds of types in hundreds of partitions has more files,
// small ones. Move-only; moving it does not move the bytes, which begin at a
// multiple of 64. The file may be unlinked while it is mapped, but must not
// shrink unless it is guarded.
class FileMapping {
 public:
  FileMapping() = default;
  // Maps or reads the file `path`. Errors as OpenRegularFile;
  // RESOURCE_EXHAUSTED, with the remedy, beyond the limit of mappings.
  static absl::StatusOr<FileMapping> Open(const std::string& path);
  // Copies a file of 2 MiB or more into memory of this process's own, in huge
  // pages: those that the system has reserved (hugetlbfs) with `reserved`, else
  // as many as the system makes. Other files, those that lie in memory (tmpfs,
  // hugetlbfs), and without `reserved` those for which there is no memory, are
  // opened. CANCELLED once `cancelled` returns true; RESOURCE_EXHAUSTED, with
  // the remedy, if too few pages are reserved.
  static absl::StatusOr<FileMapping> Copy(
      const std::string& path, bool reserved,
      const std::function<bool()>& cancelled);
  ~FileMapping();
  FileMapping(FileMapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        mapped_(std::exchange(other.mapped_, 0)),
        is_copy_(other.is_copy_),
        guard_(std::move(other.guard_)) {}
  FileMapping& operator=(FileMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
    std::swap(is_copy_, other.is_copy_);
    std::swap(guard_, other.guard_);
    return *this;
  }

  absl::Span<const uint8_t> bytes() const { return {data_, size_}; }
  // Returns the memory that a copy takes; 0: the file is mapped, or read.
  size_t copied_bytes() const { return is_copy_ ? mapped_ : 0; }
  // Registers the mapping (mapping_guard.h), so that `damage` tells if bytes of
  // it are lost. `path` names it. Bytes that were read cannot be lost.
  void Guard(const std::string& path, std::shared_ptr<MappingDamage> damage);

 private:
  FileMapping(uint8_t* data, size_t size, size_t mapped, bool is_copy = false)
      : data_(data), size_(size), mapped_(mapped), is_copy_(is_copy) {}
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t mapped_ = 0;  // bytes to unmap; 0: they were allocated
  bool is_copy_ = false;
  std::unique_ptr<MappingGuard> guard_;  // null: not guarded
};

// Returns the contents of a small file. RESOURCE_EXHAUSTED if it has more than
// `max_bytes`; other errors as OpenRegularFile.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_FILE_MAPPING_H_
