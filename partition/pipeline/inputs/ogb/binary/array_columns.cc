#include "partition/pipeline/inputs/ogb/binary/array_columns.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/value_columns.h"
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

absl::StatusOr<ColumnPtr> Open(const FileArray& array, int64_t rows,
                               const std::string& what) {
  RETURN_IF_ERROR(CheckRows(array, rows, what));
  return OpenArrayColumn({array});
}

}  // namespace

absl::StatusOr<ColumnPtr> OpenFeatureArray(const FileArray& array, int64_t rows,
                                           const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, rows, what));
  return AsFeatures(std::move(column));
}

absl::StatusOr<ColumnPtr> OpenLabelArray(const FileArray& array, int64_t rows,
                                         const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, rows, what));
  return AsLabels(std::move(column));
}

absl::StatusOr<ColumnPtr> OpenTimeArray(const FileArray& array, int64_t rows,
                                        const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, rows, what));
  return AsTimes(std::move(column), what);
}

absl::StatusOr<ColumnPtr> OpenWeightArray(const FileArray& array, int64_t rows,
                                          const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, rows, what));
  return AsWeights(std::move(column), what);
}

absl::StatusOr<ColumnPtr> OpenMaskArray(const FileArray& array, int64_t rows,
                                        const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, rows, what));
  return AsMask(std::move(column), what);
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
  constexpr ColumnSchema kId{DType::kInt64, 0};
  const NpyType type = array.header.type;
  auto [from, to] = PairPieces(array, /*by_row=*/true);
  EndColumnPair ends;
  ASSIGN_OR_RETURN(ends.from, OpenFileColumn({std::move(from)}, type, kId));
  ASSIGN_OR_RETURN(ends.to, OpenFileColumn({std::move(to)}, type, kId));
  return ends;
}

absl::StatusOr<int64_t> ReadCountArray(const FileArray& array,
                                       const std::string& what) {
  ASSIGN_OR_RETURN(ColumnPtr column, Open(array, /*rows=*/1, what));
  ASSIGN_OR_RETURN(column, AsInt64(std::move(column), what));
  int64_t count = 0;
  RETURN_IF_ERROR(column->Read(0, 1, reinterpret_cast<uint8_t*>(&count)));
  if (count >= 0 && count <= kMaxCount) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", count, "; allowed: 0 to ", kMaxCount));
}

}  // namespace tributary
