// Tables of nodes and edges in Parquet files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_PARQUET_CELLS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_PARQUET_CELLS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/tables/table.h"

namespace tributary {

// Opens Parquet files as a table. Features, labels and weights keep the types
// that the files have; ids are texts or whole numbers, masks bool, times whole
// numbers, splits texts. Errors as ParquetTable::Open.
absl::StatusOr<std::shared_ptr<Table>> OpenParquetCells(
    const std::vector<std::string>& paths);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_PARQUET_CELLS_H_
