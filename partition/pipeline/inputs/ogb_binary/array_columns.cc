#include "partition/pipeline/inputs/ogb_binary/array_columns.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"

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
  return OpenFileColumn({{array.path, array.header.data_offset, 0, rows}},
                        array.header.type, {DType::kBool, 0});
}

}  // namespace tributary
