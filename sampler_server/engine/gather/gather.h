// Copies rows of a column to their places in a batch.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "common/session/feature_dtype.h"
#include "common/tensor/convert_row.h"
#include "partition/schema/schema.h"

namespace tributary {

// A view of rows of equal size that lie one after another.
struct RowTable {
  absl::Span<const uint8_t> bytes;
  size_t row_bytes = 0;

  uint64_t num_rows() const {
    return row_bytes == 0 ? 0 : bytes.size() / row_bytes;
  }
};

// How rows of a column are stored and what they become in a batch.
struct RowForm {
  size_t stored_bytes = 0;       // of a stored row; 0: there is no column
  size_t row_bytes = 0;          // of a row in the batch
  size_t width = 0;              // values per row, if rows are converted
  ConvertRow convert = nullptr;  // null: rows are copied unchanged
  bool scaled = false;           // whether a float32 scale comes with each row

  size_t scale_bytes() const { return scaled ? sizeof(float) : 0; }
  // Returns the bytes of a row and its scale in the batch.
  size_t all_bytes() const { return row_bytes + scale_bytes(); }

  // Returns the form of rows that are copied unchanged.
  static RowForm Copied(size_t row_bytes) { return {row_bytes, row_bytes}; }
  static RowForm Of(const ColumnSchema& stored, FeatureDType asked);
};

// Copies row rows[i] of `table` to row to[i] of `out`, prefetching rows ahead.
// An empty `to` means to[i] = i. Requires rows[i] < table.num_rows() and room
// for every row in `out`. Thread-safe.
void GatherRows(const RowTable& table, absl::Span<const uint64_t> rows,
                absl::Span<const uint32_t> to, uint8_t* out);

// Gathers rows in the form that the batch has; writes the scales of rows of
// `out` to `scales` if form.scaled. Requires form.stored_bytes ==
// table.row_bytes.
void GatherRows(const RowTable& table, const RowForm& form,
                absl::Span<const uint64_t> rows, absl::Span<const uint32_t> to,
                uint8_t* out, uint8_t* scales);

// Copies row i of `table` to row to[i] of `out`. Requires to.size() <=
// table.num_rows().
void ScatterRows(const RowTable& table, absl::Span<const uint32_t> to,
                 uint8_t* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_
