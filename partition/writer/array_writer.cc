#include "partition/writer/array_writer.h"

#include "common/text/status.h"

namespace tributary {
namespace {
constexpr size_t kFlushAt = size_t{1} << 20;
}  // namespace

absl::StatusOr<ArrayWriter> ArrayWriter::Create(
    const std::string& path, NpyType type, absl::Span<const int64_t> shape) {
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
  RETURN_IF_ERROR(file.Append(FormatNpyHeader(type, shape)));
  uint64_t data_bytes = type.size;
  for (int64_t dim : shape) data_bytes *= static_cast<uint64_t>(dim);
  return ArrayWriter(std::move(file), data_bytes);
}

uint8_t* ArrayWriter::Extend(size_t bytes) {
  if (buffer_.size() >= kFlushAt) Flush();
  const size_t at = buffer_.size();
  buffer_.resize(at + bytes);
  return buffer_.data() + at;
}

void ArrayWriter::Flush() {
  if (status_.ok()) status_ = file_.Append(buffer_);
  remaining_ -= buffer_.size();
  buffer_.clear();
}

absl::Status ArrayWriter::Finish() {
  Flush();
  RETURN_IF_ERROR(status_);
  if (remaining_ != 0) {
    return absl::InternalError("an array was not as long as its shape says");
  }
  return file_.Close();
}

}  // namespace tributary
