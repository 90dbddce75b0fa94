// Reads tables of numbers in CSV files without a header, as a stream.
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

// All functions return INVALID_ARGUMENT, naming file, line, what is wrong and
// what is allowed, for a number of rows other than `num_rows`, rows of unequal
// length, empty cells, and text that is no number; DATA_LOSS for damaged files.

// Returns float32 [num_rows, columns], with the columns of the first row.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadFloatTable(
    const std::string& path, int64_t num_rows);

// Returns int64 if every value is whole, otherwise float32; [num_rows] for one
// column, otherwise [num_rows, columns].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadLabelTable(
    const std::string& path, int64_t num_rows);

// Reads one weight per row, finite and not negative. Returns [num_rows] of
// float32 if all values are exact in it, otherwise of float64.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadWeightTable(
    const std::string& path, int64_t num_rows);

// Reads one whole number per row: int64 [num_rows].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadTimeTable(
    const std::string& path, int64_t num_rows);

// Reads one value per row, 0 or 1, or false or true in any case: bool
// [num_rows].
absl::StatusOr<std::shared_ptr<const RowSource>> ReadMaskTable(
    const std::string& path, int64_t num_rows);

// Reads "source,destination" per line, with ids below num_src and num_dst.
absl::StatusOr<EdgeRows> ReadEdgeTable(const std::string& path,
                                       int64_t num_rows, int64_t num_src,
                                       int64_t num_dst);

// Reads any number of lines with one id below num_ids; `of`, "node" or "edge",
// is for messages. Returns nullopt if the first line has more than one column.
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadIdList(
    const std::string& path, int64_t num_ids, absl::string_view of);

// Reads any number of lines "source,destination". Returns nullopt if the first
// line has one column, or there are no lines.
absl::StatusOr<std::optional<EdgeRows>> ReadPairList(const std::string& path,
                                                     int64_t num_src,
                                                     int64_t num_dst);

// Reads any number of lines "head,relation,tail"; returns the ends by relation.
absl::StatusOr<std::vector<EdgeRows>> ReadTripleList(const std::string& path,
                                                     int64_t num_nodes,
                                                     int64_t num_relations);

// Reads the single count in the file.
absl::StatusOr<int64_t> ReadSingleCount(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TABLE_H_
