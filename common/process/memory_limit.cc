#include "common/process/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Reads to the end of the file: files of /proc and /sys have no length.
std::optional<std::string> ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<uint64_t> ReadNumber(const std::string& path) {
  const auto text = ReadText(path);
  uint64_t value = 0;
  if (!text || !absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &value)) {
    return std::nullopt;  // also for "max"
  }
  return value;
}

// Returns the number after "NAME" or "NAME:" in lines of names and numbers.
std::optional<uint64_t> FieldValue(const std::string& text,
                                   absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(": \t"), absl::SkipEmpty());
    uint64_t value = 0;
    if (words.size() >= 2 && words[0] == name &&
        absl::SimpleAtoi(words[1], &value)) {
      return value;
    }
  }
  return std::nullopt;
}

absl::StatusOr<MemoryLimit> ReadMachineLimit(const std::string& root) {
  const std::string path = absl::StrCat(root, "/proc/meminfo");
  const std::string text = ReadText(path).value_or("");
  const auto total = FieldValue(text, "MemTotal");
  const auto free = FieldValue(text, "MemAvailable");
  if (!total || !free) {
    return absl::NotFoundError(
        absl::StrCat(path, " has no MemTotal and MemAvailable"));
  }
  return MemoryLimit{*total << 10, *free << 10, "the machine"};
}

// The mount point and file names of one cgroup version.
struct CgroupFiles {
  const char* mount;
  const char* limit;
  const char* used;
  const char* cache;  // key of reclaimable page cache in memory.stat
};
constexpr CgroupFiles kVersion2{"/sys/fs/cgroup", "memory.max",
                                "memory.current", "inactive_file"};
constexpr CgroupFiles kVersion1{"/sys/fs/cgroup/memory",
                                "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file"};

void ApplyCgroupLimit(const std::string& folder, const CgroupFiles& files,
                      MemoryLimit& limit) {
  const auto total = ReadNumber(absl::StrCat(folder, "/", files.limit));
  if (!total || *total >= limit.total) return;
  const uint64_t used =
      ReadNumber(absl::StrCat(folder, "/", files.used)).value_or(0);
  const std::string stat =
      ReadText(absl::StrCat(folder, "/memory.stat")).value_or("");
  const uint64_t cache =
      std::min(used, FieldValue(stat, files.cache).value_or(0));
  const uint64_t held = std::min(*total, used - cache);
  limit.free = std::min(limit.free, *total - held);
  limit.total = *total;
  limit.source = "the cgroup";
}

// Applies the limits of the cgroup `path` and each of its ancestors. Inside a
// container a path of the host may not exist; then only the limit of the mount
// is seen, which is the container's.
void ApplyCgroupLimits(const std::string& root, absl::string_view path,
                       const CgroupFiles& files, MemoryLimit& limit) {
  const std::string mount = absl::StrCat(root, files.mount);
  ApplyCgroupLimit(mount, files, limit);
  std::string folder = mount;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    absl::StrAppend(&folder, "/", part);
    ApplyCgroupLimit(folder, files, limit);
  }
}

}  // namespace

absl::StatusOr<MemoryLimit> ReadMemoryLimit(const std::string& root) {
  ASSIGN_OR_RETURN(MemoryLimit limit, ReadMachineLimit(root));
  const std::string groups =
      ReadText(absl::StrCat(root, "/proc/self/cgroup")).value_or("");
  for (absl::string_view line : absl::StrSplit(groups, '\n')) {
    // NUMBER:CONTROLLERS:PATH; version 2 names no controllers.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<absl::string_view> controllers =
        absl::StrSplit(parts[1], ',');
    if (parts[1].empty()) {
      ApplyCgroupLimits(root, parts[2], kVersion2, limit);
    } else if (std::find(controllers.begin(), controllers.end(), "memory") !=
               controllers.end()) {
      ApplyCgroupLimits(root, parts[2], kVersion1, limit);
    }
  }
  return limit;
}

}  // namespace tributary
