#include "cli/fetch/part_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/hash/crc32c.h"
#include "common/io/path_error.h"
#include "common/io/rename_folder.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

}  // namespace

absl::Status PartFile::Open() {
  if (fd_.valid()) return absl::OkStatus();
  std::error_code ignored;  // open reports it
  std::filesystem::create_directories(ParentFolderOf(path()), ignored);
  fd_ = UniqueFd(open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  return fd_.valid() ? absl::OkStatus() : PathError(path(), "create");
}

absl::Status PartFile::Resume() {
  const uint64_t there = folder_->PartBytes(*file_);
  if (there == 0) return absl::OkStatus();
  RETURN_IF_ERROR(Open());
  if (there > file_->bytes) return Restart();
  std::vector<uint8_t> piece(kPiece);
  while (size_ < there) {
    const ssize_t n = pread(fd_.get(), piece.data(),
                            std::min<uint64_t>(kPiece, there - size_),
                            static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return PathError(path(), "read");
    crc32c_ = ExtendCrc32c(
        crc32c_, absl::MakeConstSpan(piece.data(), static_cast<size_t>(n)));
    size_ += static_cast<uint64_t>(n);
  }
  resumed_ = true;
  return absl::OkStatus();
}

absl::Status PartFile::Append(absl::Span<const uint8_t> bytes) {
  RETURN_IF_ERROR(Open());
  while (!bytes.empty()) {
    const auto piece = bytes.subspan(0, kPiece);
    const ssize_t n = pwrite(fd_.get(), piece.data(), piece.size(),
                             static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path(), "write");
    crc32c_ = ExtendCrc32c(crc32c_, piece.subspan(0, n));
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status PartFile::Restart() {
  if (ftruncate(fd_.get(), 0) != 0) return PathError(path(), "empty");
  size_ = 0;
  crc32c_ = 0;
  resumed_ = false;
  return absl::OkStatus();
}

absl::Status PartFile::Finish() {
  RETURN_IF_ERROR(Open());
  if (file_->crc32c.has_value() && *file_->crc32c != crc32c_) {
    return absl::DataLossError(
        absl::StrFormat("its checksum is %08x where graph.json says %08x",
                        crc32c_, *file_->crc32c));
  }
  if (fsync(fd_.get()) != 0) return PathError(path(), "sync");
  fd_.Reset();
  const std::string name = folder_->PathOf(file_->path);
  if (rename(path().c_str(), name.c_str()) == 0) return absl::OkStatus();
  return PathError(name, "create");
}

}  // namespace tributary
