// Columns that know where users wrote their rows.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_PLACED_COLUMN_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_PLACED_COLUMN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// The rows of another column, such as one in a spool, which messages name by
// their place in the user's files. `where` must be thread-safe.
class PlacedColumn final : public Column {
 public:
  PlacedColumn(ColumnPtr column, std::function<std::string(int64_t)> where)
      : Column(column->schema(), column->num_rows()),
        column_(std::move(column)),
        where_(std::move(where)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    return column_->Read(begin, count, out);
  }
  std::string Where(int64_t row) const override { return where_(row); }

 private:
  const ColumnPtr column_;
  const std::function<std::string(int64_t)> where_;
};

// The rows of another column, [rows] or [rows, 1], as [rows] or [rows, 1].
class ShapedColumn final : public Column {
 public:
  // Requires that `dim`, and that of `column`, is 0 or 1.
  ShapedColumn(ColumnPtr column, int64_t dim)
      : Column({column->schema().dtype, dim}, column->num_rows()),
        column_(std::move(column)) {}
  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    return column_->Read(begin, count, out);
  }
  std::string Where(int64_t row) const override { return column_->Where(row); }

 private:
  const ColumnPtr column_;
};

// Reads `count` values of a column of one T per row.
template <typename T>
absl::StatusOr<std::vector<T>> ReadValues(const Column& column, int64_t begin,
                                          int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  const absl::Status status =
      column.Read(begin, count, reinterpret_cast<uint8_t*>(values.data()));
  if (!status.ok()) return status;
  return values;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_PLACED_COLUMN_H_
