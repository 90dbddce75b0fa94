// Copies rows of a column to where a batch wants them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "common/session/feature_dtype.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/gather/convert_row.h"

namespace tributary {

// A table of rows that lie one after another.
struct RowTable {
  absl::Span<const uint8_t> bytes;
  size_t row_bytes = 0;

  uint64_t num_rows() const {
    return row_bytes == 0 ? 0 : bytes.size() / row_bytes;
  }
};

// How a column's rows come into a batch.
struct RowForm {
  size_t stored_bytes = 0;       // of a row; 0: there is no column
  size_t row_bytes = 0;          // of a row in the batch
  size_t width = 0;              // values of a row, where they are converted
  ConvertRow convert = nullptr;  // null: copied as they are
  bool scaled = false;           // a float32 beside each row

  size_t scale_bytes() const { return scaled ? sizeof(float) : 0; }
  // Of a row, with its scale.
  size_t all_bytes() const { return row_bytes + scale_bytes(); }

  // As they are stored.
  static RowForm Copied(size_t row_bytes) { return {row_bytes, row_bytes}; }
  static RowForm Of(const ColumnSchema& stored, FeatureDType asked);
};

// out row to[i] = table row rows[i]; rows to come are prefetched. An empty `to`
// means to[i] = i. Requires rows[i] < table.num_rows() and room for every row
// in `out`. Thread-safe.
void GatherRows(const RowTable& table, absl::Span<const uint64_t> rows,
                absl::Span<const uint32_t> to, uint8_t* out);

// The same in the form that batches have them; `scales` gets those of the rows
// of `out`, where there are some. Requires form.stored_bytes ==
// table.row_bytes.
void GatherRows(const RowTable& table, const RowForm& form,
                absl::Span<const uint64_t> rows, absl::Span<const uint32_t> to,
                uint8_t* out, uint8_t* scales);

// out row to[i] = table row i. Requires to.size() <= table.num_rows().
void ScatterRows(const RowTable& table, absl::Span<const uint32_t> to,
                 uint8_t* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_GATHER_H_
