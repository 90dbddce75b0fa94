#include "trainer_client/torch/checkpoint/safetensors.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/durable_files.h"

namespace tributary {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr size_t kLengthBytes = 8;

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, ": ", status.message())};
}

Bytes AsBytes(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()),
                             text.size());
}

// Returns the tensors' data in the order of the entries.
std::vector<Bytes> DataInOrder(const std::vector<SafetensorsEntry>& entries,
                               absl::Span<const TensorView> tensors) {
  std::map<std::string_view, Bytes> by_name;
  for (const TensorView& tensor : tensors) by_name[tensor.name] = tensor.data;
  std::vector<Bytes> data;
  for (const auto& entry : entries) data.push_back(by_name[entry.name]);
  return data;
}

absl::Status ReplaceFile(const std::string& path,
                         absl::Span<const Bytes> pieces) {
  const std::string temporary = path + ".tmp";
  RETURN_IF_ERROR(RemoveTree(temporary));  // left by a crash
  absl::Status status = WriteNewFile(temporary, pieces);
  if (status.ok()) status = RenamePath(temporary, path);
  if (!status.ok()) {
    RemoveTree(temporary).IgnoreError();
    return status;
  }
  return SyncPath(ParentFolder(path));
}

}  // namespace

absl::Status WriteSafetensors(const std::string& path,
                              absl::Span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata) {
  auto entries = LayOutSafetensors(tensors);
  if (!entries.ok()) return InFile(path, entries.status());
  const SafetensorsHeader header{*std::move(entries), metadata};
  const auto head = FormatSafetensorsHeader(header);
  if (!head.ok()) return InFile(path, head.status());
  std::vector<Bytes> pieces = DataInOrder(header.entries, tensors);
  pieces.insert(pieces.begin(), AsBytes(*head));
  return ReplaceFile(path, pieces);
}

const TensorView* Safetensors::Find(std::string_view name) const {
  const auto it =
      std::lower_bound(tensors.begin(), tensors.end(), name,
                       [](const TensorView& tensor, std::string_view n) {
                         return tensor.name < n;
                       });
  return it != tensors.end() && it->name == name ? &*it : nullptr;
}

absl::StatusOr<Safetensors> ParseSafetensors(Bytes file) {
  if (file.size() < kLengthBytes) {
    return absl::DataLossError(absl::StrCat(
        "it has ", file.size(), " bytes; a safetensors file begins with 8"));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= uint64_t{file[i]} << (8 * i);
  }
  const Bytes rest = file.subspan(kLengthBytes);
  if (length > std::min<uint64_t>(rest.size(), kMaxSafetensorsHeader)) {
    return absl::DataLossError(absl::StrCat(
        "the header has ", length, " bytes; the file has ", rest.size(),
        " after its first 8, and allowed are ", kMaxSafetensorsHeader));
  }
  const Bytes data = rest.subspan(length);
  ASSIGN_OR_RETURN(
      SafetensorsHeader header,
      ParseSafetensorsHeader(
          std::string_view(reinterpret_cast<const char*>(rest.data()), length),
          data.size()));
  Safetensors content{.metadata = std::move(header.metadata)};
  for (SafetensorsEntry& entry : header.entries) {
    content.tensors.push_back(
        {.name = std::move(entry.name),
         .dtype = entry.dtype,
         .shape = std::move(entry.shape),
         .data = data.subspan(entry.begin, entry.end - entry.begin)});
  }
  return content;
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(FileMapping mapping, FileMapping::Open(path));
  auto content = ParseSafetensors(mapping.bytes());
  if (!content.ok()) return InFile(path, content.status());
  return SafetensorsFile(std::move(mapping), *std::move(content));
}

}  // namespace tributary
