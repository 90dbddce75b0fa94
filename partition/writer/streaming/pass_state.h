// The progress of the pass over a node type, kept in a file.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_PASS_STATE_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_PASS_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "partition/writer/streaming/output_files.h"

namespace tributary {

// The state after some ranges have been appended.
struct PassState {
  uint64_t next_range = 0;
  Sha256Digest digest{};  // the sum so far
  std::vector<OutputState> outputs;
  std::vector<uint64_t> edges;  // so far, by place in TypeArrays::edges and
                                // partition
  std::vector<int64_t> found;   // EdgeSplits::found
};

// Replaces the file at once: a kill leaves the old state or the new one.
absl::Status WritePassState(const std::string& path, const PassState& state);

// Returns the state; one without outputs if there is no file. DATA_LOSS if the
// file is damaged.
absl::StatusOr<PassState> ReadPassState(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_PASS_STATE_H_
