#include "partition/source/converted_column.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tensor/convert_row.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Bytes that are converted at a time.
constexpr size_t kScratchBytes = size_t{1} << 18;

class ConvertedColumn final : public Column {
 public:
  ConvertedColumn(ColumnPtr column, ColumnSchema to, ConvertRow convert)
      : Column(to, column->num_rows()),
        column_(std::move(column)),
        convert_(convert) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const size_t from_bytes = column_->schema().row_bytes();
    const auto at_once = static_cast<int64_t>(
        std::max<size_t>(1, kScratchBytes / std::max<size_t>(1, from_bytes)));
    std::vector<uint8_t> scratch(static_cast<size_t>(std::min(count, at_once)) *
                                 from_bytes);
    for (const int64_t end = begin + count; begin < end;) {
      const int64_t rows = std::min(at_once, end - begin);
      RETURN_IF_ERROR(column_->Read(begin, rows, scratch.data()));
      Convert(scratch.data(), static_cast<size_t>(rows), out);
      out += static_cast<size_t>(rows) * schema().row_bytes();
      begin += rows;
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override { return column_->Where(row); }

 private:
  void Convert(const uint8_t* from, size_t rows, uint8_t* out) const {
    const size_t width = schema().width();
    if (!schema().scaled) {
      // Values are converted each by itself, so rows need not be told apart.
      return convert_(from, rows * width, out, nullptr);
    }
    const size_t from_bytes = column_->schema().row_bytes();
    for (size_t row = 0; row < rows; ++row) {
      uint8_t* const values = out + row * schema().row_bytes();
      convert_(from + row * from_bytes, width, values, values + width);
    }
  }

  const ColumnPtr column_;
  const ConvertRow convert_;
};

// Converts one column of features, of the name `what`.
absl::Status ConvertOne(DType to, const std::string& what, ColumnPtr& column,
                        std::vector<std::string>& notes) {
  if (column == nullptr) return absl::OkStatus();
  const ColumnSchema from = column->schema();
  if (!IsFloating(from.dtype) && to == DType::kInt8) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--feature-dtype int8: ", what, " is ", std::string(from.type_name()),
        "; allowed: float16, bfloat16, float32, float64, because int8 has a "
        "scale for each row"));
  }
  column = ConvertColumn(std::move(column), to);
  if (column->schema().row_bytes() > from.row_bytes()) {
    notes.push_back(absl::StrCat(
        what, " takes ", column->schema().row_bytes(), " bytes a row as ",
        std::string(column->schema().type_name()), ", more than the ",
        from.row_bytes(), " of ", std::string(from.type_name())));
  }
  return absl::OkStatus();
}

}  // namespace

ColumnPtr ConvertColumn(ColumnPtr column, DType to) {
  if (column == nullptr) return nullptr;
  const ConvertRow convert = ConvertRowOf(column->schema().dtype, to);
  if (convert == nullptr) return column;
  const ColumnSchema made{to, column->schema().dim, to == DType::kInt8};
  return std::make_shared<ConvertedColumn>(std::move(column), made, convert);
}

absl::Status ConvertFeatures(DType to, GraphSource& graph) {
  for (NodeSource& nodes : graph.node_types) {
    if (nodes.x == nullptr) continue;
    if (!IsFloating(nodes.x->schema().dtype) && to != DType::kInt8) {
      graph.notes.push_back(
          absl::StrCat("the features of ", nodes.name, " stay ",
                       std::string(DTypeName(nodes.x->schema().dtype)),
                       ": they are no floating-point numbers"));
    }
    RETURN_IF_ERROR(ConvertOne(to, "x of " + nodes.name, nodes.x, graph.notes));
  }
  for (EdgeSource& edges : graph.edge_types) {
    RETURN_IF_ERROR(ConvertOne(to, "edge_attr of " + edges.name(),
                               edges.edge_attr, graph.notes));
  }
  return absl::OkStatus();
}

}  // namespace tributary
