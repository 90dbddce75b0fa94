#include "trainer_client/torch/checkpoint/safetensors_header.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "common/text/utf8.h"
#include "nlohmann/json.hpp"
#include "trainer_client/torch/checkpoint/safetensors_json.h"

namespace tributary {
namespace {

constexpr size_t kAlignment = 8;

// Returns the bytes of a tensor; nullopt beyond 2^64.
std::optional<uint64_t> BytesOf(DType dtype, const Shape& shape) {
  uint64_t bytes = DTypeSize(dtype);
  for (int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

absl::Status Refuse(const std::string& name, absl::string_view what) {
  return absl::InvalidArgumentError(SafetensorsDamage(name, what).message());
}

absl::Status CheckTensor(const TensorView& tensor) {
  if (tensor.name == kSafetensorsMetadata) {
    return Refuse(tensor.name, "the name is reserved");
  }
  if (!IsUtf8(tensor.name)) return Refuse(tensor.name, "the name is no UTF-8");
  const bool negative = std::any_of(tensor.shape.begin(), tensor.shape.end(),
                                    [](int64_t dim) { return dim < 0; });
  const auto bytes = BytesOf(tensor.dtype, tensor.shape);
  if (negative || bytes != tensor.data.size()) {
    return Refuse(tensor.name,
                  absl::StrCat("it has ", tensor.data.size(),
                               " bytes; not those of shape [",
                               absl::StrJoin(tensor.shape, ", "), "] of ",
                               std::string(DTypeName(tensor.dtype))));
  }
  return absl::OkStatus();
}

// The order of types in a file: those of wider elements first. Hugging Face's
// library orders types of the same width as they are listed here.
int TypeRank(DType dtype) {
  constexpr DType kOrder[] = {DType::kInt64, DType::kFloat64,  DType::kFloat32,
                              DType::kInt32, DType::kBFloat16, DType::kFloat16,
                              DType::kInt16, DType::kInt8,     DType::kUint8,
                              DType::kBool};
  return static_cast<int>(
      std::find(std::begin(kOrder), std::end(kOrder), dtype) -
      std::begin(kOrder));
}

std::string Quote(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string EntryJson(const SafetensorsEntry& entry) {
  return absl::StrCat(Quote(entry.name), ":{\"dtype\":\"",
                      SafetensorsDType(entry.dtype), "\",\"shape\":[",
                      absl::StrJoin(entry.shape, ","), "],\"data_offsets\":[",
                      entry.begin, ",", entry.end, "]}");
}

absl::Status CheckExtent(const SafetensorsEntry& entry, uint64_t data_bytes) {
  const std::string where =
      absl::StrCat("data_offsets ", entry.begin, " to ", entry.end);
  if (entry.begin > entry.end || entry.end > data_bytes) {
    return SafetensorsDamage(
        entry.name,
        absl::StrCat(where, " do not lie within the file, which has ",
                     data_bytes, " bytes of data"));
  }
  const auto bytes = BytesOf(entry.dtype, entry.shape);
  if (bytes == entry.end - entry.begin) return absl::OkStatus();
  return SafetensorsDamage(
      entry.name, absl::StrCat(where, " are ", entry.end - entry.begin,
                               " bytes; not those of shape [",
                               absl::StrJoin(entry.shape, ", "), "] of ",
                               SafetensorsDType(entry.dtype)));
}

// Checks that the entries cover the data. Sorts them by their place.
absl::Status CheckCover(std::vector<SafetensorsEntry>& entries,
                        uint64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      const char* what = entry.begin < covered ? "it overlaps another tensor"
                                               : "there is a gap before it";
      return SafetensorsDamage(
          entry.name,
          absl::StrCat(what, ": it begins at byte ", entry.begin,
                       " of the data, the one before ends at ", covered));
    }
    covered = entry.end;
  }
  if (covered == data_bytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the tensors end at byte ", covered,
                                          " of ", data_bytes,
                                          " bytes of data"));
}

}  // namespace

absl::StatusOr<std::vector<SafetensorsEntry>> LayOutSafetensors(
    absl::Span<const TensorView> tensors) {
  std::vector<SafetensorsEntry> entries;
  std::set<std::string> names;
  for (const TensorView& tensor : tensors) {
    RETURN_IF_ERROR(CheckTensor(tensor));
    if (!names.insert(tensor.name).second) {
      return Refuse(tensor.name, "the name is there twice");
    }
    entries.push_back({.name = tensor.name,
                       .dtype = tensor.dtype,
                       .shape = tensor.shape,
                       .end = tensor.data.size()});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::make_pair(TypeRank(a.dtype), absl::string_view(a.name)) <
           std::make_pair(TypeRank(b.dtype), absl::string_view(b.name));
  });
  uint64_t at = 0;
  for (SafetensorsEntry& entry : entries) {
    entry.begin = std::exchange(at, at + entry.end);
    entry.end = at;
  }
  return entries;
}

absl::StatusOr<std::string> FormatSafetensorsHeader(
    const SafetensorsHeader& header) {
  std::vector<std::string> members;
  for (const auto& [key, value] : header.metadata) {
    if (!IsUtf8(key) || !IsUtf8(value)) {
      return absl::InvalidArgumentError("the metadata are no UTF-8");
    }
    members.push_back(absl::StrCat(Quote(key), ":", Quote(value)));
  }
  if (!members.empty()) {
    members = {absl::StrCat(Quote(std::string(kSafetensorsMetadata)), ":{",
                            absl::StrJoin(members, ","), "}")};
  }
  for (const SafetensorsEntry& entry : header.entries) {
    members.push_back(EntryJson(entry));
  }
  std::string json = absl::StrCat("{", absl::StrJoin(members, ","), "}");
  json.resize(AlignUp(json.size(), kAlignment), ' ');
  if (json.size() > kMaxSafetensorsHeader) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header has ", json.size(),
                     " bytes; allowed: ", kMaxSafetensorsHeader));
  }
  std::string prefix;
  for (size_t i = 0; i < kAlignment; ++i) {
    prefix.push_back(static_cast<char>(uint64_t{json.size()} >> (8 * i)));
  }
  return prefix + json;
}

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(std::string_view json,
                                                         uint64_t data_bytes) {
  ASSIGN_OR_RETURN(SafetensorsHeader header, ReadSafetensorsJson(json));
  for (const SafetensorsEntry& entry : header.entries) {
    RETURN_IF_ERROR(CheckExtent(entry, data_bytes));
  }
  RETURN_IF_ERROR(CheckCover(header.entries, data_bytes));
  std::sort(header.entries.begin(), header.entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return header;
}

}  // namespace tributary
