#include "partition/source/spool.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/free_disk.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;

// The rows are in NAME.TYPE.DIM.rows: the name says all about them, so that one
// rename makes them available.
std::string FinishedName(const std::string& path, ColumnSchema schema) {
  return absl::StrCat(path, ".", std::string(DTypeName(schema.dtype)), ".",
                      schema.dim, ".rows");
}

absl::StatusOr<ColumnPtr> OpenFinished(const std::string& path,
                                       ColumnSchema schema) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) {
    errno = error.value();
    return PathError(path, "stat");
  }
  const size_t row_bytes = schema.row_bytes();
  const int64_t rows =
      row_bytes == 0 ? 0 : static_cast<int64_t>(bytes / row_bytes);
  return OpenFileColumn({{path, 0, 0, rows}}, NpyTypeOf(schema.dtype), schema);
}

}  // namespace

absl::Status SpoolWriter::Append(absl::Span<const uint8_t> rows) {
  buffer_.insert(buffer_.end(), rows.begin(), rows.end());
  return buffer_.size() < kFlushAt ? absl::OkStatus() : Flush();
}

absl::Status SpoolWriter::Flush() {
  RETURN_IF_ERROR(file_.Append(buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

int64_t SpoolWriter::num_rows() const {
  return static_cast<int64_t>((file_.bytes_written() + buffer_.size()) /
                              schema_.row_bytes());
}

absl::StatusOr<ColumnPtr> SpoolWriter::Finish() {
  RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(file_.Close());
  const std::string to = FinishedName(path_, schema_);
  if (std::rename(absl::StrCat(path_, ".tmp").c_str(), to.c_str()) != 0) {
    return PathError(to, "rename a file to");
  }
  return OpenFinished(to, schema_);
}

absl::Status Spool::Expect(absl::Span<const ParsedPart> parts) const {
  uint64_t wanted = 0;
  for (const ParsedPart& part : parts) {
    if (progress_ != nullptr) progress_->Expect(part.name, part.size);
    wanted += part.least_column_bytes;
  }
  uint64_t there = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code gone;
    const uint64_t size = it->file_size(gone);
    if (!gone) there += size;
  }
  if (wanted <= there) return absl::OkStatus();
  return CheckFreeDisk(folder_, wanted - there,
                       "the parsed columns of the input need at least");
}

absl::StatusOr<ColumnPtr> Spool::Find(const std::string& name) const {
  const std::string prefix = absl::StrCat(name, ".");
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end;
       !error && it != end; it.increment(error)) {
    const std::string file = it->path().filename();
    if (file.rfind(prefix, 0) != 0) continue;
    char type[16] = "";
    long long dim = 0;
    int end_at = 0;
    if (std::sscanf(file.c_str() + prefix.size(), "%15[a-z0-9].%lld.rows%n",
                    type, &dim, &end_at) != 2 ||
        static_cast<size_t>(end_at) != file.size() - prefix.size()) {
      continue;
    }
    ASSIGN_OR_RETURN(const DType dtype, DTypeFromName(type));
    return OpenFinished(it->path(), {dtype, dim});
  }
  if (error) {
    errno = error.value();
    return PathError(folder_, "list");
  }
  return nullptr;
}

absl::StatusOr<SpoolWriter> Spool::Create(const std::string& name,
                                          ColumnSchema schema) const {
  const std::string path = absl::StrCat(folder_, "/", name);
  const std::string temporary = absl::StrCat(path, ".tmp");
  if (unlink(temporary.c_str()) != 0 && errno != ENOENT) {
    return PathError(temporary, "remove");
  }
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  return SpoolWriter(path, schema, std::move(file));
}

}  // namespace tributary
