// How much memory a limit of random reads is measured in: as much as sampling
// reads, so that a graph is compared with the caches or the memory that it is
// in.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_LIMIT_MEMORY_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_LIMIT_MEMORY_H_

#include <cstdint>
#include <string>

#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// The measurement takes memory beside the mapped graph: at most one part in
// this many of the memory that the process may use.
inline constexpr uint64_t kLimitShareOfMemory = 4;

// The result of LimitMemoryOf().
struct LimitMemory {
  uint64_t touched = 0;   // bytes of the arrays that batches read
  uint64_t measured = 0;  // bytes that the limit is measured in

  // Returns "473 MiB", or "8192 MiB, a quarter of the memory; sampling reads
  // 20000 MiB".
  std::string ToString() const;
};

// Returns the bytes of the arrays that batches of `loader` read, in all
// partitions and types: rows of edges, ids, what the draw needs and, with
// collect_features, features and labels. Requires schema.files, which only a
// graph's folder has; servers send the schema without it.
uint64_t BytesTouched(const GraphSchema& schema, const SessionOptions& loader);

// Returns how much of `touched` bytes the limit is measured in, where the
// process may use `memory` bytes: all, up to the share above; at least a cache
// line.
LimitMemory LimitMemoryOf(uint64_t touched, uint64_t memory);

// Returns the memory that this process may use: the machine's, or less in a
// memory cgroup.
uint64_t UsableMemoryBytes();

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_LIMIT_MEMORY_H_
