// Verifies the dictionaries of users' ids in a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_EXTERNAL_IDS_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_EXTERNAL_IDS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/schema/schema.h"

namespace tributary {

// Reads every file below ids/ and checks that each is of a node type, has the
// length and checksum of graph.json, and an id for each node; that numbers and
// texts strictly ascend, so that a node has one id, an id one node, and a
// search finds it; and that offsets cut the bytes into texts that are not
// empty. DATA_LOSS names the file and the row; the system's errors.
absl::Status CheckExternalIds(const std::string& folder,
                              const GraphSchema& schema);

// Compares the dictionaries that graph.json lists with those of an input, as
// IdFilesOf() returns them. FAILED_PRECONDITION names a file that one of them
// lacks or that differs.
absl::Status CompareExternalIds(const GraphSchema& schema,
                                const std::vector<FileSchema>& input);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_EXTERNAL_IDS_CHECK_H_
