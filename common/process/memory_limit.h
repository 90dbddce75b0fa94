// How much memory this process may use: the machine's, or its cgroup's.
#ifndef TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_
#define TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tributary {

struct MemoryLimit {
  uint64_t total = 0;  // bytes that may be used in all
  uint64_t free = 0;   // of them not in use; page cache counts as free
  std::string source;  // "the machine", "the cgroup"
};

// The smallest of /proc/meminfo and the limits of this process's memory cgroup
// and its ancestors, version 2 or 1. `root` is where / is, for tests.
absl::StatusOr<MemoryLimit> ReadMemoryLimit(const std::string& root = "");

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_
