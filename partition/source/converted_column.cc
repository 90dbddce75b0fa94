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
  ConvertedColumn(ColumnPtr column, DType to, ConvertRow convert)
      : Column({to, column->schema().dim}, column->num_rows()),
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
      // Values are converted each by itself, so rows need not be told apart.
      const size_t values =
          static_cast<size_t>(rows) * column_->schema().width();
      convert_(scratch.data(), values, out, nullptr);
      out += values * DTypeSize(schema().dtype);
      begin += rows;
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override { return column_->Where(row); }

 private:
  const ColumnPtr column_;
  const ConvertRow convert_;
};

}  // namespace

ColumnPtr ConvertColumn(ColumnPtr column, DType to) {
  if (column == nullptr) return nullptr;
  const ConvertRow convert = ConvertRowOf(column->schema().dtype, to);
  if (convert == nullptr) return column;
  return std::make_shared<ConvertedColumn>(std::move(column), to, convert);
}

void ConvertFeatures(DType to, GraphSource& graph) {
  for (NodeSource& nodes : graph.node_types) {
    if (nodes.x == nullptr) {
      graph.notes.push_back(absl::StrCat(nodes.name, " has no features"));
      continue;
    }
    if (!IsFloating(nodes.x->schema().dtype)) {
      graph.notes.push_back(
          absl::StrCat("the features of ", nodes.name, " stay ",
                       std::string(DTypeName(nodes.x->schema().dtype)),
                       ": they are no floating-point numbers"));
    }
    nodes.x = ConvertColumn(nodes.x, to);
  }
  for (EdgeSource& edges : graph.edge_types) {
    edges.edge_attr = ConvertColumn(edges.edge_attr, to);
  }
}

}  // namespace tributary
