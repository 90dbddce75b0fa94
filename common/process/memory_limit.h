// Reads the memory that this process may use: that of the machine, or the limit
// of its cgroup.
#ifndef TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_
#define TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tributary {

// A limit in bytes and how much of it is left.
struct MemoryLimit {
  uint64_t total = 0;  // bytes that may be used in all
  uint64_t free = 0;   // bytes not in use; page cache counts as free
  std::string source;  // what sets the limit: "the machine", "the cgroup"
};

// Returns the smallest limit of /proc/meminfo and of this process's memory
// cgroup and its ancestors, in version 2 or 1. `root` replaces the root folder
// / in tests. NOT_FOUND if meminfo lacks the totals.
absl::StatusOr<MemoryLimit> ReadMemoryLimit(const std::string& root = "");

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_MEMORY_LIMIT_H_
