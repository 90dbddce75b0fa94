// Parses columns of CSV files without a header into a run's spool, in bounded
// memory: a line and a few MiB.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_COLUMN_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_COLUMN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/text/csv_rows.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// All functions return INVALID_ARGUMENT, naming file, line, what is wrong and
// what is allowed, for a number of rows other than `num_rows`, rows of unequal
// length, empty cells, and text that is no number; DATA_LOSS for damaged files.
// A column that an earlier run has finished in `spool` is not parsed again.

// Returns float32 [num_rows, columns], with the columns of the first row.
absl::StatusOr<ColumnPtr> ReadFloatTable(const std::string& path,
                                         const RowCount& num_rows,
                                         const Spool& spool);

// Returns int64 if every value is whole, otherwise float32; [num_rows] for one
// column, otherwise [num_rows, columns].
absl::StatusOr<ColumnPtr> ReadLabelTable(const std::string& path,
                                         const RowCount& num_rows,
                                         const Spool& spool);

// Reads one weight per row, finite and not negative. Returns [num_rows] of
// float32 if all values are exact in it, otherwise of float64.
absl::StatusOr<ColumnPtr> ReadWeightTable(const std::string& path,
                                          const RowCount& num_rows,
                                          const Spool& spool);

// Reads one whole number per row: int64 [num_rows].
absl::StatusOr<ColumnPtr> ReadTimeTable(const std::string& path,
                                        const RowCount& num_rows,
                                        const Spool& spool);

// Reads one value per row, 0 or 1, or false or true in any case: bool
// [num_rows].
absl::StatusOr<ColumnPtr> ReadMaskTable(const std::string& path,
                                        const RowCount& num_rows,
                                        const Spool& spool);

// The ends of edges: int64 [rows] each.
struct EndColumns {
  ColumnPtr from, to;
};

// Reads "source,destination" per line, with ids below num_src and num_dst.
absl::StatusOr<EndColumns> ReadEdgeTable(const std::string& path,
                                         const RowCount& num_rows,
                                         int64_t num_src, int64_t num_dst,
                                         const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_COLUMN_H_
