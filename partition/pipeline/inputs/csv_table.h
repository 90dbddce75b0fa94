// Tables of numbers in CSV files without a header, streamed and checked.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/writer/adjacency.h"
#include "partition/writer/row_source.h"

namespace tributary {

// All return INVALID_ARGUMENT naming file, line, what was wrong and what is
// allowed: another number of rows than `num_rows`, rows of unequal length,
// empty cells, text that is no number; DATA_LOSS for damaged files.

// float32 [num_rows, columns], columns as in the first row.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadFloatTable(
    const std::string& path, int64_t num_rows);

// int64 when every value of every column is whole, else all float32;
// [num_rows] for one column, else [num_rows, columns].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadLabelTable(
    const std::string& path, int64_t num_rows);

// One weight a row, finite and not negative: [num_rows], float32 when every
// one of them is exactly that, else float64.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadWeightTable(
    const std::string& path, int64_t num_rows);

// One whole number a row: int64 [num_rows].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadTimeTable(
    const std::string& path, int64_t num_rows);

// One 0 or 1, false or true a row, of any case: bool [num_rows].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadMaskTable(
    const std::string& path, int64_t num_rows);

// "source,destination" a line, ids below num_src and num_dst.
absl::StatusOr<EdgeRows> ReadEdgeTable(const std::string& path,
                                       int64_t num_rows, int64_t num_src,
                                       int64_t num_dst);

// One id below num_ids a line, any number of lines, `of` a "node" or an "edge".
// None when the first line has more than one column.
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadIdList(
    const std::string& path, int64_t num_ids, absl::string_view of);

// "source,destination" a line, any number of lines. None when the first line
// has one column, or there is none.
absl::StatusOr<std::optional<EdgeRows>> ReadPairList(const std::string& path,
                                                     int64_t num_src,
                                                     int64_t num_dst);

// "head,relation,tail" a line, any number of lines: the ends by relation.
absl::StatusOr<std::vector<EdgeRows>> ReadTripleList(const std::string& path,
                                                     int64_t num_nodes,
                                                     int64_t num_relations);

// The single count that the file holds.
absl::StatusOr<int64_t> ReadSingleCount(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TABLE_H_
