// Reads short tables of numbers in CSV files without a header: counts, and ids
// of splits, which a graph's description holds in memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// The ends of edges, by line.
struct CsvEdgeEnds {
  std::vector<int64_t> from, to;
};

// All functions return INVALID_ARGUMENT, naming file, line, what is wrong and
// what is allowed, for rows of unequal length, empty cells, and text that is no
// number; DATA_LOSS for damaged files.

// Reads any number of lines with one id below num_ids; `of`, "node" or "edge",
// is for messages. Returns nullopt if the first line has more than one column.
absl::StatusOr<std::optional<std::vector<int64_t>>> ReadIdList(
    const std::string& path, int64_t num_ids, absl::string_view of);

// Reads any number of lines "source,destination". Returns nullopt if the first
// line has one column, or there are no lines.
absl::StatusOr<std::optional<CsvEdgeEnds>> ReadPairList(const std::string& path,
                                                        int64_t num_src,
                                                        int64_t num_dst);

// Reads the single count in the file.
absl::StatusOr<int64_t> ReadSingleCount(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_CSV_TABLE_H_
