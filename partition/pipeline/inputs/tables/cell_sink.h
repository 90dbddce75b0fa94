// Parses the cells of one column of a text table into a spool.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_CELL_SINK_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_CELL_SINK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/tables/table.h"

namespace tributary {

// Takes the cells of all rows in order, those of one row after another. Not
// thread-safe.
class CellSink {
 public:
  virtual ~CellSink() = default;
  // INVALID_ARGUMENT, without a place, says what is allowed in the cell's
  // place.
  virtual absl::Status Add(absl::string_view cell) = 0;
  virtual absl::StatusOr<ColumnPtr> Finish() = 0;
};

// Returns the sink for a request. Errors of the spool.
absl::StatusOr<std::unique_ptr<CellSink>> MakeCellSink(
    const CellRequest& request, const Spool& spool);

// Checks a text of kNumberId, kTextId or kSplit. INVALID_ARGUMENT, without a
// place, says what is allowed.
absl::Status CheckCellText(CellKind kind, absl::string_view cell);

// Returns what an earlier run has finished for a request; null if nothing.
absl::StatusOr<ColumnPtr> FindCells(const CellRequest& request,
                                    const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_CELL_SINK_H_
