#include "common/observe/refusal_counter.h"

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"

namespace tributary {

void RefusalCounter::Count(absl::string_view reason) {
  MutexLock lock(mutex_);
  ++counts_[std::string(reason)];
}

void RefusalCounter::Add(absl::string_view reason, absl::string_view text) {
  Count(reason);
  const std::string key = absl::StrCat("refused ", what_, " (", reason, ")");
  LogRepeated(LogLevel::kWarning, key, absl::StrCat(key, ": ", text));
}

std::map<std::string, uint64_t> RefusalCounter::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

uint64_t RefusalCounter::count(const std::string& reason) const {
  MutexLock lock(mutex_);
  const auto it = counts_.find(reason);
  return it == counts_.end() ? 0 : it->second;
}

}  // namespace tributary
