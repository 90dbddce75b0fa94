#include "partition/pipeline/inputs/arrays/array_file.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/zip_members.h"
#include "partition/source/npy_file.h"

namespace tributary {
namespace {

constexpr absl::string_view kMember = ".npz:";
constexpr absl::string_view kSuffix = ".npy";

absl::Status ShapeError(const FileArray& array, absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      array.path, " has the shape [", absl::StrJoin(array.header.shape, ", "),
      "]; allowed: ", allowed));
}

absl::StatusOr<FileArray> OpenMember(const std::string& path,
                                     absl::string_view name) {
  ASSIGN_OR_RETURN(const auto members, ListZipMembers(path));
  std::vector<absl::string_view> names;
  for (const ZipMember& member : members) {
    absl::string_view stem = member.name;
    if (!absl::ConsumeSuffix(&stem, kSuffix)) continue;
    if (stem == name) {
      auto header = ReadUserNpyHeaderAt(path, member.offset, member.bytes);
      if (header.ok()) {
        return FileArray{path, *std::move(header),
                         absl::StrCat(path, ":", name)};
      }
      return absl::Status(
          header.status().code(),
          absl::StrCat(name, " of ", header.status().message()));
    }
    names.push_back(stem);
  }
  return absl::NotFoundError(
      absl::StrCat(path, " has no array ", name,
                   "; there are: ", absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<FileArray> OpenArray(const std::string& name) {
  const size_t at = name.rfind(kMember.data());
  if (at != std::string::npos) {
    return OpenMember(name.substr(0, at + kMember.size() - 1),
                      absl::string_view(name).substr(at + kMember.size()));
  }
  if (!absl::EndsWith(name, kSuffix)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is no array; allowed: FILE.npy, FILE.npz:NAME"));
  }
  ASSIGN_OR_RETURN(UserNpyHeader header, ReadUserNpyFileHeader(name));
  return FileArray{name, std::move(header), ""};
}

absl::StatusOr<std::vector<std::string>> ListNpzArrays(
    const std::string& path) {
  ASSIGN_OR_RETURN(const auto members, ListZipMembers(path));
  std::vector<std::string> names;
  for (const ZipMember& member : members) {
    absl::string_view stem = member.name;
    if (absl::ConsumeSuffix(&stem, kSuffix)) names.emplace_back(stem);
  }
  return names;
}

absl::StatusOr<ColumnPtr> OpenArrays(const std::vector<std::string>& names) {
  std::vector<FileArray> arrays;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(FileArray array, OpenArray(name));
    if (array.header.shape.empty()) array.header.shape = {1};
    arrays.push_back(std::move(array));
  }
  return OpenArrayColumn(arrays);
}

absl::StatusOr<EndArrays> OpenPairs(const std::vector<std::string>& names) {
  constexpr ColumnSchema kId{DType::kInt64, 0};
  std::vector<ColumnPiece> from, to;
  NpyType type;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const FileArray array, OpenArray(name));
    const auto& shape = array.header.shape;
    const bool rows = shape.size() == 2 && shape[0] == 2;
    if (shape.size() != 2 || (!rows && shape[1] != 2)) {
      return ShapeError(array, "[2, E] and [E, 2]");
    }
    if (!from.empty() && array.header.type != type) {
      return absl::InvalidArgumentError(
          absl::StrCat(array.path, " has elements ", array.header.type.descr(),
                       "; those before have ", type.descr()));
    }
    type = array.header.type;
    auto [first, second] = PairPieces(array, rows);
    from.push_back(std::move(first));
    to.push_back(std::move(second));
  }
  EndArrays ends;
  ASSIGN_OR_RETURN(ends.from, OpenFileColumn(std::move(from), type, kId));
  ASSIGN_OR_RETURN(ends.to, OpenFileColumn(std::move(to), type, kId));
  return ends;
}

}  // namespace tributary
