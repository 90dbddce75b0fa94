#include "trainer_client/torch/inference/row_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns DATA_LOSS unless the file begins with the header of the shape and has
// its rows.
absl::Status CheckShape(const std::string& path, const RowShape& shape,
                        std::string_view begin, uint64_t bytes) {
  const std::string header = shape.header();
  const uint64_t expected =
      header.size() + shape.row_bytes() * static_cast<uint64_t>(shape.rows());
  if (begin == header && bytes == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      path, " has ", bytes, " bytes or a header that are not those of its ",
      shape.rows(), " rows, which need ", expected,
      " bytes; allowed: the file as it was written (remove the folder to begin "
      "again)"));
}

absl::Status Flush(const std::string& path, int fd) {
  return fsync(fd) == 0 ? absl::OkStatus() : PathError(path, "sync");
}

// posix_fallocate would write every block where the file system cannot reserve.
absl::Status Reserve(const std::string& path, int fd, uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (fallocate(fd, 0, 0, size) == 0) return absl::OkStatus();
  if (errno == EOPNOTSUPP && ftruncate(fd, size) == 0) return absl::OkStatus();
  return PathError(path, absl::StrCat("reserve ", bytes, " bytes of").c_str());
}

}  // namespace

size_t RowShape::row_bytes() const {
  size_t bytes = type.size;
  for (size_t d = 1; d < shape.size(); ++d) {
    bytes *= static_cast<size_t>(shape[d]);
  }
  return bytes;
}

absl::Status CreateRowFile(const std::string& path, const RowShape& shape) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return PathError(path, "replace");
  }
  const UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return PathError(path, "create");
  const std::string header = shape.header();
  RETURN_IF_ERROR(Reserve(
      path, fd.get(),
      header.size() + shape.row_bytes() * static_cast<uint64_t>(shape.rows())));
  const ssize_t written = pwrite(fd.get(), header.data(), header.size(), 0);
  if (written < 0) return PathError(path, "write");
  if (static_cast<size_t>(written) != header.size()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot write ", path, ": the disk is full"));
  }
  return Flush(path, fd.get());
}

RowWriter::RowWriter(std::string path, UniqueFd fd, const RowShape& shape)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      data_offset_(shape.header().size()),
      row_bytes_(shape.row_bytes()),
      num_rows_(shape.rows()) {}

absl::StatusOr<RowWriter> RowWriter::Open(const std::string& path,
                                          const RowShape& shape) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return PathError(path, "open");
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return PathError(path, "read");
  std::string begin(shape.header().size(), '\0');
  if (pread(fd.get(), begin.data(), begin.size(), 0) < 0) {
    return PathError(path, "read");
  }
  RETURN_IF_ERROR(
      CheckShape(path, shape, begin, static_cast<uint64_t>(status.st_size)));
  return RowWriter(path, std::move(fd), shape);
}

absl::Status RowWriter::WriteAt(uint64_t offset,
                                absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd_.get(), bytes.data(), bytes.size(),
                                   static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return PathError(path_, "write");
    offset += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status RowWriter::Write(absl::Span<const int64_t> at,
                              absl::Span<const uint8_t> rows) {
  if (rows.size() != at.size() * row_bytes_) {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": ", rows.size(),
                                                   " bytes for ", at.size(),
                                                   " rows of ", row_bytes_));
  }
  for (size_t i = 0; i < at.size();) {
    size_t end = i + 1;  // of the rows that lie one behind the other
    while (end < at.size() && at[end] == at[end - 1] + 1) ++end;
    if (at[i] < 0 || at[end - 1] >= num_rows_) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_, ": rows ", at[i], " to ", at[end - 1],
                       ", allowed are 0 to ", num_rows_ - 1));
    }
    RETURN_IF_ERROR(
        WriteAt(data_offset_ + static_cast<uint64_t>(at[i]) * row_bytes_,
                rows.subspan(i * row_bytes_, (end - i) * row_bytes_)));
    i = end;
  }
  return absl::OkStatus();
}

absl::Status RowWriter::Sync() { return Flush(path_, fd_.get()); }

RowMapping::RowMapping(FileMapping file, RowShape shape)
    : file_(std::move(file)),
      shape_(std::move(shape)),
      data_offset_(shape_.header().size()) {}

absl::StatusOr<RowMapping> RowMapping::Open(const std::string& path,
                                            const RowShape& shape) {
  ASSIGN_OR_RETURN(FileMapping file, FileMapping::Open(path));
  const size_t header = std::min(shape.header().size(), file.bytes().size());
  RETURN_IF_ERROR(CheckShape(
      path, shape, {reinterpret_cast<const char*>(file.bytes().data()), header},
      file.bytes().size()));
  return RowMapping(std::move(file), shape);
}

}  // namespace tributary
