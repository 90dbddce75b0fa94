// Writes an assignment of nodes to partitions into files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_ASSIGNMENT_WRITER_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_ASSIGNMENT_WRITER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_writer.h"
#include "common/io/unfinished_folder.h"
#include "partition/pipeline/mpi/node_types.h"

namespace tributary {

// A file, or a folder, that is written beside its target and renamed at last.
// Nodes come in the order of their homogenised ids.
class AssignmentWriter {
 public:
  virtual ~AssignmentWriter() = default;
  // Appends the partitions of the next nodes.
  virtual absl::Status Append(absl::Span<const uint16_t> parts) = 0;
  // Requires that all nodes have been appended. ALREADY_EXISTS if the target
  // exists by now.
  virtual absl::Status Finish() = 0;
};

// Returns ALREADY_EXISTS if there is something at `target`: early, rather than
// after minutes of reading.
absl::Status CheckTargetIsFree(const std::string& target);

// Returns a writer of what `tributary partition --assignment` reads: a .npy
// file, uint16 [nodes], if `target` ends in ".npy", which takes a single node
// type (INVALID_ARGUMENT otherwise); else a folder with such a file,
// <type>.npy, for each type. ALREADY_EXISTS; else the system's error.
absl::StatusOr<std::unique_ptr<AssignmentWriter>> MakeAssignmentWriter(
    const std::string& target, const NodeTypes& types);

// Returns a writer of pm_dglpart's PREFIX_part.K: a line "ID PARTITION" for
// each node. Errors as above.
absl::StatusOr<std::unique_ptr<AssignmentWriter>> MakeDglPartWriter(
    const std::string& target);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_ASSIGNMENT_WRITER_H_
