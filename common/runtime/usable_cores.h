// The number of threads of this process that can run at the same time.
#ifndef TRIBUTARY_COMMON_RUNTIME_USABLE_CORES_H_
#define TRIBUTARY_COMMON_RUNTIME_USABLE_CORES_H_

#include <string>

namespace tributary {

// Returns the cores that this process may run on (sched_getaffinity).
int AllowedCores();

// Returns `allowed`, a number of cores, or the CPU time of the process's cgroup
// and its ancestors in cores, rounded up, if that is less; at least 1. Reads
// cpu.max of version 2, cpu.cfs_quota_us and cpu.cfs_period_us of version 1.
// Weights and shares (what a container requests) are no limit. `root` replaces
// the root folder / in tests.
int CoresWithinQuota(int allowed, const std::string& root = "");

// Returns AllowedCores() within the quota of the cgroup. Read once;
// thread-safe.
int UsableCores();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_USABLE_CORES_H_
