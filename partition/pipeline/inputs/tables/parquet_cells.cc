#include "partition/pipeline/inputs/tables/parquet_cells.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/arrays/value_columns.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"
#include "partition/pipeline/inputs/tables/cell_sink.h"
#include "partition/pipeline/inputs/tables/id_text.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

class ParquetCells final : public Table,
                           public std::enable_shared_from_this<ParquetCells> {
 public:
  explicit ParquetCells(ParquetTable table) : table_(std::move(table)) {
    for (const ParquetColumn& column : table_.columns()) {
      names_.push_back(column.name);
    }
  }

  absl::StatusOr<std::vector<int>> Find(
      const std::vector<std::string>& names) const override {
    return FindColumns(names, names_, num_columns(), path());
  }
  std::string NameOf(int column) const override { return names_[column]; }
  int num_columns() const override { return static_cast<int>(names_.size()); }
  std::string path() const override { return table_.paths()[0]; }
  std::string Where(int64_t row) const override { return table_.Where(row); }

  std::vector<ParsedPart> Parts(
      absl::Span<const CellRequest> requests) const override {
    std::vector<ParsedPart> parts;
    for (const CellRequest& request : requests) {
      parts.push_back(table_.Part(request.columns, request.name));
    }
    return parts;
  }

  absl::StatusOr<std::vector<ColumnPtr>> Read(
      absl::Span<const CellRequest> requests, const Spool& spool) override {
    std::vector<ColumnPtr> columns;
    for (const CellRequest& request : requests) {
      ASSIGN_OR_RETURN(ColumnPtr column, ReadOne(request, spool));
      columns.push_back(std::move(column));
    }
    return columns;
  }

 private:
  absl::Status TypeError(const CellRequest& request,
                         absl::string_view allowed) const {
    const ParquetColumn& column = table_.columns()[request.columns[0]];
    return absl::InvalidArgumentError(absl::StrCat(
        path(), ", column ", column.name, ": ",
        column.is_text ? "text" : std::string(DTypeName(column.schema.dtype)),
        " of width ", column.schema.width(), "; allowed: ", allowed));
  }

  absl::StatusOr<ColumnPtr> ReadOne(const CellRequest& request,
                                    const Spool& spool) const {
    const ParquetColumn& first = table_.columns()[request.columns[0]];
    switch (request.kind) {
      case CellKind::kFloats:
      case CellKind::kLabels:
        break;
      case CellKind::kWeight:
      case CellKind::kMask:
      case CellKind::kTime:
        if (!first.is_text) break;
        return TypeError(request, "numbers");
      case CellKind::kDenseId:
        if (!first.is_text) break;
        return TypeError(request, "whole numbers");
      case CellKind::kNumberId:
      case CellKind::kTextId:
        if (first.is_text) return PlacedTexts(request, spool);
        break;
      case CellKind::kSplit:
        if (first.is_text) return PlacedTexts(request, spool);
        return TypeError(request, "text");
    }
    ASSIGN_OR_RETURN(ColumnPtr column,
                     table_.ToSpool(request.columns, spool, request.name));
    return AsKind(request.kind, Placed(std::move(column), request),
                  absl::StrCat(path(), ", column ", first.name));
  }

  // Returns a column of the spool whose rows are those of the user's files.
  // What converts it comes after, so that errors name these, too.
  ColumnPtr Placed(ColumnPtr column, const CellRequest& request) const {
    return std::make_shared<PlacedColumn>(
        std::move(column), [table = shared_from_this(),
                            name = NameOf(request.columns[0])](int64_t row) {
          return absl::StrCat(table->Where(row), ", column ", name);
        });
  }

  absl::StatusOr<ColumnPtr> PlacedTexts(const CellRequest& request,
                                        const Spool& spool) const {
    ASSIGN_OR_RETURN(ColumnPtr texts, ReadTexts(request, spool));
    return Placed(std::move(texts), request);
  }

  static absl::StatusOr<ColumnPtr> AsKind(CellKind kind, ColumnPtr column,
                                          const std::string& what) {
    switch (kind) {
      case CellKind::kFloats:
        return AsFeatures(std::move(column));
      case CellKind::kLabels:
        return AsLabels(std::move(column));
      case CellKind::kWeight:
        return AsWeights(std::move(column), what);
      case CellKind::kMask:
        return AsMask(std::move(column), what);
      case CellKind::kTime:
        return AsTimes(std::move(column), what);
      default:
        return AsInt64(std::move(column), what);
    }
  }

  absl::StatusOr<ColumnPtr> ReadTexts(const CellRequest& request,
                                      const Spool& spool) const {
    ASSIGN_OR_RETURN(ColumnPtr found, FindCells(request, spool));
    if (found != nullptr) {
      spool.Advance(request.name, InputProgress::kAll);
      return found;
    }
    ASSIGN_OR_RETURN(SpoolWriter writer,
                     spool.Create(request.name, {DType::kUint8, 0}));
    RETURN_IF_ERROR(table_.ForEachBlock(
        request.columns, [&](const ParquetBlock& block) -> absl::Status {
          for (int64_t i = 0; i < block.num_rows; ++i) {
            const absl::string_view text = block.texts[0][i];
            const absl::Status status = CheckCellText(request.kind, text);
            if (!status.ok()) {
              return absl::InvalidArgumentError(absl::StrCat(
                  Where(block.first_row + i), ", column ",
                  NameOf(request.columns[0]), ": ", status.message()));
            }
            RETURN_IF_ERROR(AppendIdText(text, writer));
          }
          spool.Advance(request.name,
                        table_.PartBytes(request.columns,
                                         block.first_row + block.num_rows));
          return absl::OkStatus();
        }));
    return writer.Finish();
  }

  const ParquetTable table_;
  std::vector<std::string> names_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> OpenParquetCells(
    const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(ParquetTable table, ParquetTable::Open(paths));
  return std::make_shared<ParquetCells>(std::move(table));
}

}  // namespace tributary
