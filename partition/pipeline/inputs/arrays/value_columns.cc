#include "partition/pipeline/inputs/arrays/value_columns.h"

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/npy_vector.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

absl::Status Refuse(const ColumnSchema& schema, const std::string& what,
                    absl::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", std::string(DTypeName(schema.dtype)),
                   " of width ", schema.width(), "; allowed: ", allowed));
}

ColumnPtr WithDim(ColumnPtr column, int64_t dim) {
  const int64_t now = column->schema().dim;
  if (now > 1 || now == dim) return column;
  return std::make_shared<ShapedColumn>(std::move(column), dim);
}

DType WeightType(DType stored) {
  switch (stored) {
    case DType::kBool:
    case DType::kUint8:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
      return DType::kFloat32;
    default:
      return DType::kFloat64;
  }
}

}  // namespace

ColumnPtr AsFeatures(ColumnPtr column) { return WithDim(std::move(column), 1); }

ColumnPtr AsLabels(ColumnPtr column) { return WithDim(std::move(column), 0); }

absl::StatusOr<ColumnPtr> AsTimes(ColumnPtr column, const std::string& what) {
  const ColumnSchema schema = column->schema();
  ColumnPtr times = AsExact(std::move(column), DType::kInt64);
  if (times != nullptr) return times;
  return Refuse(schema, what, "one whole number a row");
}

absl::StatusOr<ColumnPtr> AsWeights(ColumnPtr column, const std::string& what) {
  const ColumnSchema schema = column->schema();
  ColumnPtr weights = AsExact(std::move(column), WeightType(schema.dtype));
  if (weights != nullptr) return weights;
  return Refuse(schema, what, "one number a row as a weight");
}

absl::StatusOr<ColumnPtr> AsMask(ColumnPtr column, const std::string& what) {
  const ColumnSchema schema = column->schema();
  ColumnPtr mask = AsExact(std::move(column), DType::kBool);
  if (mask != nullptr) return mask;
  return Refuse(schema, what,
                "one bool, or 0 or 1, a row as a mask: give one column of it, "
                "as a[:, 0]");
}

absl::StatusOr<bool> AreMaskOf(int64_t num_rows,
                               const std::vector<int64_t>& numbers, ListUse use,
                               const std::string& what) {
  const auto count = static_cast<int64_t>(numbers.size());
  const bool zeros_and_ones = absl::c_all_of(
      numbers, [](int64_t number) { return number == 0 || number == 1; });
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has ", count, " whole numbers, ", why));
  };
  constexpr char kDecide[] =
      "a mask is bool, as a.astype(bool) makes it, or called NAME_mask; a list "
      "is called NAME_idx, or is a text with a number a line";
  if (!zeros_and_ones) {
    if (use != ListUse::kMaskByName || count != num_rows) return false;
    return refuse(absl::StrCat("as many as rows, but not 0 and 1 alone; ",
                               "allowed: ", kDecide));
  }
  if (use == ListUse::kMaskByName && count > 0) {
    if (count == num_rows) return true;
    return refuse(absl::StrCat("0 and 1 alone, as a mask has; wanted: ",
                               num_rows, ", one for each row, or ", kDecide));
  }
  if (AreMask(numbers)) {  // a list would repeat its rows
    if (use == ListUse::kEither && count == num_rows) return true;
    return refuse(absl::StrCat("0 and 1 alone, as a mask of the ", num_rows,
                               " rows has; allowed: ", kDecide));
  }
  if (use != ListUse::kEither || count == 0 || count != num_rows) return false;
  return refuse(absl::StrCat(
      "0 and 1 alone, as many as rows: a mask, or a list; allowed: ", kDecide));
}

}  // namespace tributary
