#include "common/runtime/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/runtime/cgroup_folders.h"

namespace tributary {
namespace {

// Returns the whole numbers at the beginning of a file's text.
std::vector<int64_t> ReadNumbers(const std::string& path) {
  const std::string text = ReadSystemFile(path).value_or("");
  std::vector<int64_t> numbers;
  for (absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(word, &number)) break;  // "max": no limit
    numbers.push_back(number);
  }
  return numbers;
}

// Returns the quota of a cgroup in cores; nullopt: none.
std::optional<double> QuotaOf(const CgroupFolder& folder) {
  std::vector<int64_t> quota_and_period;
  if (folder.version == 2) {
    quota_and_period = ReadNumbers(absl::StrCat(folder.path, "/cpu.max"));
  } else {
    for (const char* file : {"/cpu.cfs_quota_us", "/cpu.cfs_period_us"}) {
      for (const int64_t number :
           ReadNumbers(absl::StrCat(folder.path, file))) {
        quota_and_period.push_back(number);
      }
    }
  }
  // Version 1 writes -1 for no limit.
  if (quota_and_period.size() != 2 || quota_and_period[0] <= 0 ||
      quota_and_period[1] <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(quota_and_period[0]) /
         static_cast<double>(quota_and_period[1]);
}

}  // namespace

int AllowedCores() {
  // The set must be as large as the kernel's, which a machine of more than
  // CPU_SETSIZE cores has larger.
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* const set = CPU_ALLOC(cpus);
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool read = sched_getaffinity(0, bytes, set) == 0;
    const bool too_small = !read && errno == EINVAL;
    const int count = read ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (read) return count;
    if (!too_small) break;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

int CoresWithinQuota(int allowed, const std::string& root) {
  double cores = allowed;
  for (const CgroupFolder& folder : CgroupFolders(root, "cpu")) {
    cores = std::min(cores, QuotaOf(folder).value_or(cores));
  }
  return std::max(1, static_cast<int>(std::ceil(cores)));
}

int UsableCores() {
  static const int cores = CoresWithinQuota(AllowedCores());
  return cores;
}

}  // namespace tributary
