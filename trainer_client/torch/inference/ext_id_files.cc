#include "trainer_client/torch/inference/ext_id_files.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/file_writer.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "trainer_client/torch/inference/prediction_folder.h"
#include "trainer_client/torch/inference/row_file.h"

namespace tributary {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;

// A vector that is written from its first element to its last.
class VectorFile {
 public:
  static absl::StatusOr<VectorFile> Create(const std::string& path,
                                           NpyType type, int64_t count) {
    (void)std::remove(path.c_str());  // of a run that ended early
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(file.Append(FormatNpyHeader(type, {count})));
    return VectorFile(std::move(file));
  }
  absl::Status Append(absl::string_view bytes) {
    buffer_.append(bytes.data(), bytes.size());
    return buffer_.size() < kFlushAt ? absl::OkStatus() : Flush();
  }
  absl::Status Append(int64_t number) {
    return Append({reinterpret_cast<const char*>(&number), sizeof(number)});
  }
  absl::Status Finish() {
    RETURN_IF_ERROR(Flush());
    return file_.SyncAndClose();
  }

 private:
  explicit VectorFile(FileWriter file) : file_(std::move(file)) {}
  absl::Status Flush() {
    const absl::Status written = file_.Append(buffer_);
    buffer_.clear();
    return written;
  }

  FileWriter file_;
  std::string buffer_;
};

std::string FileOf(const std::string& name, absl::string_view array) {
  return absl::StrCat(name, array, ".npy");
}

}  // namespace

absl::StatusOr<ExtIdFiles> ExtIdFiles::Open(
    const std::string& graph_folder, const Sha256Digest& content,
    const std::vector<std::string>& node_types) {
  ExtIdFiles files;
  const bool links = node_types.size() == 2;
  for (size_t i = 0; i < node_types.size(); ++i) {
    const char* name = !links ? "ext_id" : i == 0 ? "src_ext_id" : "dst_ext_id";
    ASSIGN_OR_RETURN(UserIds ids,
                     UserIds::Open(graph_folder, content, node_types[i]));
    files.columns_.push_back({name, std::move(ids)});
  }
  return files;
}

std::vector<std::string> ExtIdFiles::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (column.ids.are_texts()) {
      names.push_back(FileOf(column.name, "_bytes"));
      names.push_back(FileOf(column.name, "_offsets"));
    } else {
      names.push_back(FileOf(column.name, ""));
    }
  }
  return names;
}

absl::Status ExtIdFiles::Write(const std::string& folder,
                               int64_t num_rows) const {
  RowShape shape{.type = kNpyInt64, .shape = {num_rows}};
  if (columns_.size() > 1) {
    shape.shape.push_back(static_cast<int64_t>(columns_.size()));
  }
  ASSIGN_OR_RETURN(const RowMapping ids,
                   RowMapping::Open(PartPath(folder, "ids.npy"), shape));
  const absl::Span<const int64_t> nodes(
      reinterpret_cast<const int64_t*>(ids.rows().data()),
      ids.rows().size() / sizeof(int64_t));
  for (size_t c = 0; c < columns_.size(); ++c) {
    const auto own = nodes.subspan(std::min(c, nodes.size()));
    RETURN_IF_ERROR(
        columns_[c].ids.are_texts()
            ? WriteTexts(folder, columns_[c], own, columns_.size())
            : WriteNumbers(folder, columns_[c], own, columns_.size()));
  }
  return absl::OkStatus();
}

absl::Status ExtIdFiles::WriteNumbers(const std::string& folder,
                                      const Column& column,
                                      absl::Span<const int64_t> nodes,
                                      size_t stride) {
  const auto count = static_cast<int64_t>((nodes.size() + stride - 1) / stride);
  ASSIGN_OR_RETURN(VectorFile file,
                   VectorFile::Create(PartPath(folder, FileOf(column.name, "")),
                                      kNpyInt64, count));
  for (size_t i = 0; i < nodes.size(); i += stride) {
    ASSIGN_OR_RETURN(const int64_t id, column.ids.NumberOf(nodes[i]));
    RETURN_IF_ERROR(file.Append(id));
  }
  return file.Finish();
}

// Writes the offsets first, whose last one is the number of the bytes.
absl::Status ExtIdFiles::WriteTexts(const std::string& folder,
                                    const Column& column,
                                    absl::Span<const int64_t> nodes,
                                    size_t stride) {
  const auto count = static_cast<int64_t>((nodes.size() + stride - 1) / stride);
  ASSIGN_OR_RETURN(
      VectorFile offsets,
      VectorFile::Create(PartPath(folder, FileOf(column.name, "_offsets")),
                         kNpyInt64, count + 1));
  int64_t total = 0;
  RETURN_IF_ERROR(offsets.Append(total));
  for (size_t i = 0; i < nodes.size(); i += stride) {
    ASSIGN_OR_RETURN(const std::string text, column.ids.TextOf(nodes[i]));
    total += static_cast<int64_t>(text.size());
    RETURN_IF_ERROR(offsets.Append(total));
  }
  RETURN_IF_ERROR(offsets.Finish());
  ASSIGN_OR_RETURN(
      VectorFile bytes,
      VectorFile::Create(PartPath(folder, FileOf(column.name, "_bytes")),
                         kNpyUint8, total));
  for (size_t i = 0; i < nodes.size(); i += stride) {
    ASSIGN_OR_RETURN(const std::string text, column.ids.TextOf(nodes[i]));
    RETURN_IF_ERROR(bytes.Append(text));
  }
  return bytes.Finish();
}

}  // namespace tributary
