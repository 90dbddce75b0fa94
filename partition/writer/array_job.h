// One array of a graph folder that is to be written.
#ifndef TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_
#define TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/tensor/npy.h"
#include "partition/writer/array_writer.h"

namespace tributary {

// Describes an array and the function that writes its elements. Jobs are
// independent: each may run on another thread.
struct ArrayJob {
  std::string path;
  NpyType type;
  std::vector<int64_t> shape;
  std::function<void(ArrayWriter&)> fill;
};

// Returns the type that stores ids below `num_ids`: 32 bits if they fit,
// otherwise 64.
NpyType IdType(uint64_t num_ids);
// Returns the type of an edge index's positions: every position below the
// largest of `partition_edges`, and its own largest value free
// (EdgeIndex::NoPosition).
NpyType EdgePositionType(absl::Span<const int64_t> partition_edges);
// Appends an id. Requires `type` from IdType, and an id that fits it.
void PushId(ArrayWriter& out, NpyType type, int64_t id);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_
