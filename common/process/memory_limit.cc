#include "common/process/memory_limit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/runtime/cgroup_folders.h"
#include "common/text/status.h"

namespace tributary {
namespace {

std::optional<uint64_t> ReadNumber(const std::string& path) {
  const auto text = ReadSystemFile(path);
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
  const std::string text = ReadSystemFile(path).value_or("");
  const auto total = FieldValue(text, "MemTotal");
  const auto free = FieldValue(text, "MemAvailable");
  if (!total || !free) {
    return absl::NotFoundError(
        absl::StrCat(path, " has no MemTotal and MemAvailable"));
  }
  return MemoryLimit{*total << 10, *free << 10, "the machine"};
}

// The file names of one cgroup version.
struct CgroupFiles {
  const char* limit;
  const char* used;
  const char* cache;  // key of reclaimable page cache in memory.stat
};
constexpr CgroupFiles kVersion2{"memory.max", "memory.current",
                                "inactive_file"};
constexpr CgroupFiles kVersion1{"memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file"};

void ApplyCgroupLimit(const std::string& folder, const CgroupFiles& files,
                      MemoryLimit& limit) {
  const auto total = ReadNumber(absl::StrCat(folder, "/", files.limit));
  if (!total || *total >= limit.total) return;
  const uint64_t used =
      ReadNumber(absl::StrCat(folder, "/", files.used)).value_or(0);
  const std::string stat =
      ReadSystemFile(absl::StrCat(folder, "/memory.stat")).value_or("");
  const uint64_t cache =
      std::min(used, FieldValue(stat, files.cache).value_or(0));
  const uint64_t held = std::min(*total, used - cache);
  limit.free = std::min(limit.free, *total - held);
  limit.total = *total;
  limit.source = "the cgroup";
}

}  // namespace

absl::StatusOr<MemoryLimit> ReadMemoryLimit(const std::string& root) {
  ASSIGN_OR_RETURN(MemoryLimit limit, ReadMachineLimit(root));
  for (const CgroupFolder& folder : CgroupFolders(root, "memory")) {
    ApplyCgroupLimit(folder.path, folder.version == 2 ? kVersion2 : kVersion1,
                     limit);
  }
  return limit;
}

}  // namespace tributary
