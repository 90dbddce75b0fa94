#include "partition/format/external_ids.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

bool HasFile(const GraphSchema& schema, const std::string& path) {
  return absl::c_any_of(
      schema.files, [&](const FileSchema& file) { return file.path == path; });
}

// Returns the elements of a vector of `type`.
absl::StatusOr<absl::Span<const uint8_t>> ElementsOf(const FileMapping& file,
                                                     const std::string& path,
                                                     NpyType type,
                                                     int64_t* count) {
  const auto header = ParseNpyHeader(file.bytes());
  if (!header.ok()) {
    return absl::DataLossError(
        absl::StrCat(path, ": ", header.status().message()));
  }
  if (header->type != type || header->shape.size() != 1 ||
      header->data_bytes() != file.bytes().size() - header->data_offset) {
    return absl::DataLossError(
        absl::StrCat(path, " is no whole vector of ", type.descr()));
  }
  *count = header->shape[0];
  return file.bytes().subspan(header->data_offset);
}

}  // namespace

absl::StatusOr<std::optional<ExternalIds>> ExternalIds::Open(
    const std::string& folder, const GraphSchema& schema,
    const std::string& node_type) {
  const int type = schema.FindNodeType(node_type);
  if (type < 0) {
    return absl::NotFoundError(
        absl::StrCat("the graph has no node type \"", node_type, "\""));
  }
  const std::string numbers = ExternalIdsPath(node_type, kExternalNumbers);
  const std::string offsets = ExternalIdsPath(node_type, kExternalOffsets);
  const bool has_numbers = HasFile(schema, numbers);
  if (!has_numbers && !HasFile(schema, offsets)) {
    return std::optional<ExternalIds>();
  }
  ExternalIds ids;
  ids.num_nodes_ = schema.node_types[type].num_nodes;
  ids.path_ = absl::StrCat(folder, "/", has_numbers ? numbers : offsets);
  ASSIGN_OR_RETURN(ids.first_, FileMapping::Open(ids.path_));
  int64_t count = 0;
  ASSIGN_OR_RETURN(const auto first,
                   ElementsOf(*ids.first_, ids.path_, kNpyInt64, &count));
  ids.numbers_or_offsets_ = {reinterpret_cast<const int64_t*>(first.data()),
                             static_cast<size_t>(count)};
  if (count != ids.num_nodes_ + (has_numbers ? 0 : 1)) {
    return absl::DataLossError(
        absl::StrCat(ids.path_, " has ", count, " rows; the graph has ",
                     ids.num_nodes_, " nodes of type ", node_type));
  }
  if (!has_numbers) {
    const std::string path =
        absl::StrCat(folder, "/", ExternalIdsPath(node_type, kExternalBytes));
    ASSIGN_OR_RETURN(ids.second_, FileMapping::Open(path));
    ASSIGN_OR_RETURN(const auto bytes, ElementsOf(*ids.second_, path, kNpyUint8,
                                                  &ids.num_bytes_));
    ids.bytes_ = reinterpret_cast<const char*>(bytes.data());
  }
  return std::make_optional(std::move(ids));
}

absl::StatusOr<absl::string_view> ExternalIds::TextAt(int64_t i) const {
  const int64_t begin = numbers_or_offsets_[i];
  const int64_t end = numbers_or_offsets_[i + 1];
  if (begin < 0 || begin > end || end > num_bytes_) {
    return absl::DataLossError(absl::StrCat(path_, ", row ", i, ": offsets ",
                                            begin, " and ", end, " of ",
                                            num_bytes_, " bytes"));
  }
  return absl::string_view(bytes_ + begin, static_cast<size_t>(end - begin));
}

absl::StatusOr<std::string> ExternalIds::IdOf(int64_t original_id) const {
  if (original_id < 0 || original_id >= num_nodes_) {
    return absl::OutOfRangeError(absl::StrCat(
        original_id, " is no node; allowed: 0 to ", num_nodes_ - 1));
  }
  if (is_numbers()) return absl::StrCat(numbers_or_offsets_[original_id]);
  ASSIGN_OR_RETURN(const absl::string_view text, TextAt(original_id));
  return std::string(text);
}

absl::StatusOr<int64_t> ExternalIds::Find(absl::string_view id) const {
  int64_t number = 0;
  if (is_numbers()) {
    const char* end = id.data() + id.size();
    const auto [at, error] = std::from_chars(id.data(), end, number);
    if (error != std::errc() || at != end) {
      return absl::NotFoundError(
          absl::StrCat("\"", absl::CHexEscape(id.substr(0, 80)),
                       "\" is no id of a node; allowed: a number in ", path_));
    }
  }
  int64_t low = 0, high = num_nodes_;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    bool before = false;
    if (is_numbers()) {
      before = numbers_or_offsets_[middle] < number;
    } else {
      ASSIGN_OR_RETURN(const absl::string_view text, TextAt(middle));
      before = text < id;
    }
    (before ? low : high) = before ? middle + 1 : middle;
  }
  if (low < num_nodes_) {
    if (is_numbers() && numbers_or_offsets_[low] == number) return low;
    if (!is_numbers()) {
      ASSIGN_OR_RETURN(const absl::string_view text, TextAt(low));
      if (text == id) return low;
    }
  }
  return absl::NotFoundError(absl::StrCat("no node has the id \"",
                                          absl::CHexEscape(id.substr(0, 80)),
                                          "\" in ", path_));
}

}  // namespace tributary
