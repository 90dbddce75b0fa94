// The pass over all nodes of a type, which writes their rows and edges.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_PASS_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_PASS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/runtime/clock.h"
#include "partition/writer/streaming/edge_splits.h"
#include "partition/writer/streaming/node_ranges.h"
#include "partition/writer/streaming/pass_state.h"
#include "partition/writer/streaming/range_output.h"
#include "partition/writer/streaming/spill_file.h"

namespace tributary {

// What the pass reads and where it writes.
struct NodePassSpec {
  RangeInput input;
  const NodeRanges& ranges;
  // The spilled edges of input.arrays.edges, in that order.
  std::vector<const SpillReader*> spills;
  EdgeSplits& splits;
  std::string folder;      // of the graph
  std::string state_path;  // of this pass
  uint64_t buffer_bytes = 0;
  int threads = 1;
  const Clock& clock;
  std::function<void(int64_t nodes)> nodes_done;
};

// Appends the ranges in order; `threads` of them are made at a time, each of
// which takes what NodeRanges says of it. Goes on from the state of an earlier
// run. Returns the state at the end, which it has written.
absl::StatusOr<PassState> RunNodePass(const NodePassSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_PASS_H_
