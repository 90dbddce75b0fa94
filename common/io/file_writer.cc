#include "common/io/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/path_error.h"

namespace tributary {
namespace {

// Small enough that the data is still in cache when the kernel copies it after
// the CRC.
constexpr size_t kPiece = size_t{256} << 10;

}  // namespace

absl::StatusOr<FileWriter> FileWriter::Create(const std::string& path) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return PathError(path, "create");
  return FileWriter(path, fd);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_written_(other.bytes_written_),
      crc32c_(other.crc32c_) {}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
}

absl::Status FileWriter::Append(absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.subspan(0, kPiece);
    const ssize_t n = write(fd_, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path_, "write");
    crc32c_ = ExtendCrc32c(crc32c_, piece.subspan(0, n));
    bytes_written_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status FileWriter::Append(std::string_view text) {
  return Append(absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

absl::Status FileWriter::SyncAndClose() {
  if (fsync(fd_) != 0) return PathError(path_, "sync");
  return Close();
}

absl::Status FileWriter::Close() {
  if (close(std::exchange(fd_, -1)) != 0) return PathError(path_, "close");
  return absl::OkStatus();
}

}  // namespace tributary
