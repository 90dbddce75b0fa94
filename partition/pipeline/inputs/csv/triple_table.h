// Reads files of triples, "head,relation,tail" per line, by relation.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TRIPLE_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TRIPLE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/csv/csv_table.h"
#include "partition/source/spool.h"

namespace tributary {

// Both functions read any number of lines and return the ends of relation k, in
// the order of the file, at [k]. INVALID_ARGUMENT with file and line for
// anything but three cells and ids below num_nodes, num_relations.

// Parses the file into `spool`, in bounded memory but for 48 bytes for each
// relation that occurs among a million consecutive triples.
absl::StatusOr<std::vector<EndColumns>> ReadTripleTable(const std::string& path,
                                                        int64_t num_nodes,
                                                        int64_t num_relations,
                                                        const Spool& spool);

// Reads a short file, such as a split, into memory.
absl::StatusOr<std::vector<CsvEdgeEnds>> ReadTripleList(const std::string& path,
                                                        int64_t num_nodes,
                                                        int64_t num_relations);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_TRIPLE_TABLE_H_
