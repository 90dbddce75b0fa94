#include "partition/pipeline/check/external_ids_check.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/external_ids.h"
#include "partition/format/paths.h"
#include "partition/pipeline/check/differs.h"
#include "partition/schema/type_path.h"

namespace tributary {
namespace {

using ArraysByType = std::map<std::string, std::set<std::string>>;

absl::Status DictionaryError(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, ": ", what));
}

// Splits "ids/TYPE.ARRAY.npy"; nullopt if it is no file of a dictionary.
std::optional<std::pair<std::string, std::string>> TypeAndArray(
    absl::string_view path, const GraphSchema& schema) {
  if (!absl::ConsumePrefix(&path, "ids/")) return std::nullopt;
  if (!absl::ConsumeSuffix(&path, ".npy")) return std::nullopt;
  for (const char* array :
       {kExternalNumbers, kExternalOffsets, kExternalBytes}) {
    absl::string_view of = path;
    if (!absl::ConsumeSuffix(&of, absl::StrCat(".", array))) continue;
    const absl::StatusOr<std::string> type = TypeOfPath(of);
    if (!type.ok() || schema.FindNodeType(*type) < 0) return std::nullopt;
    return std::make_pair(*type, std::string(array));
  }
  return std::nullopt;
}

absl::StatusOr<ArraysByType> ListedArrays(const GraphSchema& schema) {
  ArraysByType arrays;
  for (const FileSchema& file : schema.files) {
    if (!absl::StartsWith(file.path, "ids/")) continue;
    const auto found = TypeAndArray(file.path, schema);
    if (!found.has_value()) {
      return DictionaryError(file.path,
                             "it is of no node type's dictionary of ids");
    }
    arrays[found->first].insert(found->second);
  }
  return arrays;
}

absl::Status CheckBytes(const std::string& folder, const FileSchema& file) {
  const std::string path = absl::StrCat(folder, "/", file.path);
  ASSIGN_OR_RETURN(const FileMapping mapping, FileMapping::Open(path));
  if (mapping.bytes().size() != file.bytes) {
    return DictionaryError(
        path, absl::StrCat("it has ", mapping.bytes().size(),
                           " bytes; graph.json says ", file.bytes));
  }
  if (Crc32c(mapping.bytes()) != file.crc32c) {
    return DictionaryError(path, "its CRC32C is not the one in graph.json");
  }
  return absl::OkStatus();
}

absl::Status CheckNumbers(const std::string& path, const ExternalIds& ids) {
  const absl::Span<const int64_t> numbers = ids.numbers();
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i - 1] < numbers[i]) continue;
    return DictionaryError(
        path, absl::StrCat("ids do not ascend: row ", i, " is ", numbers[i],
                           " after ", numbers[i - 1]));
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const std::string& path, const ExternalIds& ids) {
  const absl::Span<const int64_t> offsets = ids.offsets();
  const absl::string_view bytes = ids.bytes();
  const auto size = static_cast<int64_t>(bytes.size());
  if (offsets.front() != 0 || offsets.back() != size) {
    return DictionaryError(
        path,
        absl::StrCat("offsets from ", offsets.front(), " to ", offsets.back(),
                     " where there are ", size, " bytes"));
  }
  absl::string_view last;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    if (begin >= end || end > size) {
      return DictionaryError(
          path, absl::StrCat("row ", i, ": offsets ", begin, " and ", end,
                             " are of no text in ", size, " bytes"));
    }
    const absl::string_view text = bytes.substr(
        static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    if (i > 0 && text <= last) {
      return DictionaryError(
          path, absl::StrCat("ids do not ascend: row ", i, " is \"",
                             absl::CHexEscape(text.substr(0, 80)), "\""));
    }
    last = text;
  }
  return absl::OkStatus();
}

absl::Status CheckType(const std::string& folder, const GraphSchema& schema,
                       const std::string& type,
                       const std::set<std::string>& arrays) {
  const bool numbers = arrays == std::set<std::string>{kExternalNumbers};
  if (!numbers &&
      arrays != std::set<std::string>{kExternalBytes, kExternalOffsets}) {
    return DictionaryError(
        absl::StrCat(folder, "/ids"),
        absl::StrCat("the ids of ", type,
                     " are neither numbers alone nor offsets and "
                     "bytes"));
  }
  ASSIGN_OR_RETURN(const std::optional<ExternalIds> ids,
                   ExternalIds::Open(folder, schema, type));
  const std::string path = absl::StrCat(
      folder, "/",
      ExternalIdsPath(type, numbers ? kExternalNumbers : kExternalOffsets));
  return numbers ? CheckNumbers(path, *ids) : CheckTexts(path, *ids);
}

}  // namespace

absl::Status CompareExternalIds(const GraphSchema& schema,
                                const std::vector<FileSchema>& input) {
  std::map<std::string, FileSchema> wanted;
  for (const FileSchema& file : input) wanted.emplace(file.path, file);
  for (const FileSchema& file : schema.files) {
    if (!absl::StartsWith(file.path, "ids/")) continue;
    const auto same = wanted.extract(file.path);
    if (same.empty()) return Differs(file.path + " is in the graph alone");
    if (same.mapped().bytes != file.bytes ||
        same.mapped().crc32c != file.crc32c) {
      return Differs(file.path + " has other ids than the input");
    }
  }
  if (wanted.empty()) return absl::OkStatus();
  return Differs(wanted.begin()->first + " is in the input alone");
}

absl::Status CheckExternalIds(const std::string& folder,
                              const GraphSchema& schema) {
  ASSIGN_OR_RETURN(const ArraysByType types, ListedArrays(schema));
  for (const FileSchema& file : schema.files) {
    if (!absl::StartsWith(file.path, "ids/")) continue;
    RETURN_IF_ERROR(CheckBytes(folder, file));
  }
  for (const auto& [type, arrays] : types) {
    RETURN_IF_ERROR(CheckType(folder, schema, type, arrays));
  }
  return absl::OkStatus();
}

}  // namespace tributary
