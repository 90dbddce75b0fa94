// Runs the program that reads Parquet files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_PROGRAM_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

// A running tributary-parquet, whose output is read as it comes. The destructor
// ends the process and waits for it. Move-only; not thread-safe.
class ParquetProgram {
 public:
  // Starts `tributary-parquet ARGUMENTS`. FAILED_PRECONDITION if there is no
  // such program, with what to do.
  static absl::StatusOr<ParquetProgram> Start(
      std::vector<std::string> arguments);
  ParquetProgram(ParquetProgram&& other) noexcept;
  ParquetProgram& operator=(ParquetProgram&&) = delete;
  ~ParquetProgram();

  // Reads `bytes` bytes of the output. INTERNAL, saying how the program ended,
  // if there are not so many.
  absl::Status Read(void* out, size_t bytes);
  // Reads the rest of the output, up to `limit` bytes.
  absl::StatusOr<std::string> ReadAll(size_t limit);

 private:
  ParquetProgram(pid_t pid, UniqueFd output)
      : pid_(pid), output_(std::move(output)) {}
  // Reads up to `bytes` bytes; 0 at the end.
  absl::StatusOr<size_t> ReadSome(void* out, size_t bytes);
  absl::Status Wait(int* wait_status);
  absl::Status EndedEarly();

  pid_t pid_ = -1;  // -1: there is nothing to wait for
  UniqueFd output_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_PROGRAM_H_
