#include "partition/pipeline/inputs/ogb/binary/array_columns.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

absl::Status ShapeError(const FileArray& array, const std::string& what,
                        absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, " has the shape [", absl::StrJoin(array.header.shape, ", "),
      "]; allowed: ", allowed));
}

absl::Status CheckRows(const FileArray& array, int64_t rows,
                       const std::string& what) {
  const auto& shape = array.header.shape;
  if ((shape.size() == 1 || shape.size() == 2) && shape[0] == rows) {
    return absl::OkStatus();
  }
  return ShapeError(array, what,
                    absl::StrCat("[", rows, "] and [", rows, ", columns]"));
}

// Makes [rows, 1] to [rows].
absl::StatusOr<FileArray> Flat(FileArray array, int64_t rows,
                               const std::string& what) {
  RETURN_IF_ERROR(CheckRows(array, rows, what));
  auto& shape = array.header.shape;
  if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
  if (shape.size() == 1) return array;
  return ShapeError(array, what, "one value a row");
}

}  // namespace

absl::StatusOr<ColumnPtr> OpenFeatureArray(FileArray array, int64_t rows,
                                           const std::string& what) {
  RETURN_IF_ERROR(CheckRows(array, rows, what));
  if (array.header.shape.size() == 1) array.header.shape.push_back(1);
  return OpenArrayColumn({array});
}

absl::StatusOr<ColumnPtr> OpenLabelArray(FileArray array, int64_t rows,
                                         const std::string& what) {
  RETURN_IF_ERROR(CheckRows(array, rows, what));
  auto& shape = array.header.shape;
  if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
  return OpenArrayColumn({array});
}

absl::StatusOr<ColumnPtr> OpenTimeArray(FileArray array, int64_t rows,
                                        const std::string& what) {
  ASSIGN_OR_RETURN(array, Flat(std::move(array), rows, what));
  ASSIGN_OR_RETURN(ColumnPtr column, OpenArrayColumn({array}));
  return AsInt64(std::move(column), what);
}

absl::StatusOr<ColumnPtr> OpenWeightArray(FileArray array, int64_t rows,
                                          const std::string& what) {
  ASSIGN_OR_RETURN(array, Flat(std::move(array), rows, what));
  const NpyType type = array.header.type;
  if (type != NpyTypeOf(DType::kFloat32) &&
      type != NpyTypeOf(DType::kFloat64)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has elements ", type.descr(),
                     "; allowed: weights of float32, float64"));
  }
  return OpenArrayColumn({array});
}

absl::StatusOr<ColumnPtr> OpenMaskArray(FileArray array, int64_t rows,
                                        const std::string& what) {
  ASSIGN_OR_RETURN(array, Flat(std::move(array), rows, what));
  return OpenFileColumn(
      {{array.path, array.header.data_offset, 0, rows, array.name}},
      array.header.type, {DType::kBool, 0});
}

absl::StatusOr<EndColumnPair> OpenEdgeIndex(const FileArray& array,
                                            int64_t edges,
                                            const std::string& what) {
  const auto& shape = array.header.shape;
  if (shape.size() != 2 || shape[0] != 2 || shape[1] != edges) {
    return ShapeError(
        array, what,
        absl::StrCat("[2, ", edges, "], as the number of edges says"));
  }
  const NpyType type = array.header.type;
  const uint64_t first = array.header.data_offset;
  const uint64_t bytes = static_cast<uint64_t>(edges) * type.size;
  constexpr ColumnSchema kId{DType::kInt64, 0};
  EndColumnPair ends;
  ASSIGN_OR_RETURN(
      ends.from,
      OpenFileColumn({{array.path, first, 0, edges, array.name, 0, true}}, type,
                     kId));
  ASSIGN_OR_RETURN(ends.to, OpenFileColumn({{array.path, first + bytes, 0,
                                             edges, array.name, 1, true}},
                                           type, kId));
  return ends;
}

absl::StatusOr<int64_t> ReadCountArray(const FileArray& array,
                                       const std::string& what) {
  ASSIGN_OR_RETURN(const ColumnPtr column,
                   OpenTimeArray(array, /*rows=*/1, what));
  int64_t count = 0;
  RETURN_IF_ERROR(column->Read(0, 1, reinterpret_cast<uint8_t*>(&count)));
  if (count >= 0 && count <= kMaxCount) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", count, "; allowed: 0 to ", kMaxCount));
}

}  // namespace tributary
