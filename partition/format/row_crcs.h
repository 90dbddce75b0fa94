// Checksums of the stored rows of nodes.
#ifndef TRIBUTARY_PARTITION_FORMAT_ROW_CRCS_H_
#define TRIBUTARY_PARTITION_FORMAT_ROW_CRCS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "partition/schema/schema.h"

namespace tributary {

// Computes the CRC32C of rows at, at + 1, ... of a partition: of the bytes of x
// as they are stored, also of scaled rows, and then of those of y. Reads x from
// its file if it is not mapped. DATA_LOSS or ABORTED, naming the file, for a
// row that cannot be read.
absl::Status ReadRowCrcs(const NodeTypeSchema& type, const NodePartition& nodes,
                         size_t at, absl::Span<uint32_t> crcs);

// Returns how many rows of the type to read in one call: some 4 MiB of them.
size_t RowsAtOnce(const NodeTypeSchema& type);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_CRCS_H_
