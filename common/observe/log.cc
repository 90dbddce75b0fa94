#include "common/observe/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"

namespace tributary {
namespace {

constexpr std::pair<std::string_view, LogLevel> kNames[] = {
    {"debug", LogLevel::kDebug},     {"info", LogLevel::kInfo},
    {"warning", LogLevel::kWarning}, {"error", LogLevel::kError},
    {"off", LogLevel::kOff},
};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Never destroyed: threads may still log while the process ends.
spdlog::logger& Logger() {
  static spdlog::logger* const logger = [] {
    auto* made = new spdlog::logger(
        "tributary", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %L [%t] %v");
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *logger;
}

struct SharedLimit {
  Mutex mutex;
  RepeatLimit limit ABSL_GUARDED_BY(mutex){absl::Seconds(10), 256};
};

SharedLimit& ProcessLimit() {
  static SharedLimit* const limit = new SharedLimit;
  return *limit;
}

}  // namespace

absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text) {
  for (const auto& [name, level] : kNames) {
    if (name == text) return level;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log level '", std::string(text),
                   "' is none of debug, info, warning, error, off"));
}

void SetLogLevel(LogLevel level) { Logger().set_level(ToSpdlog(level)); }

bool LogEnabled(LogLevel level) {
  return level != LogLevel::kOff && Logger().should_log(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view text) {
  if (level == LogLevel::kOff) return;
  Logger().log(ToSpdlog(level),
               spdlog::string_view_t(text.data(), text.size()));
}

void LogRepeated(LogLevel level, std::string_view key, std::string_view text) {
  if (!LogEnabled(level)) return;
  std::optional<uint64_t> left_out;
  {
    SharedLimit& shared = ProcessLimit();
    MutexLock lock(shared.mutex);
    left_out = shared.limit.Admit(key, SteadyClock().Now());
  }
  if (!left_out) return;
  if (*left_out == 0) return Log(level, text);
  Log(level, absl::StrCat(std::string(text), " (", *left_out,
                          " such lines left out)"));
}

std::optional<uint64_t> RepeatLimit::Admit(std::string_view key,
                                           absl::Time now) {
  auto it = entries_.find(key);
  if (it == entries_.end()) {
    if (entries_.size() >= max_keys_) ForgetOldest();
    entries_.emplace(std::string(key), Entry{now});
    return 0;
  }
  Entry& entry = it->second;
  if (now - entry.admitted < interval_) {
    ++entry.left_out;
    return std::nullopt;
  }
  entry.admitted = now;
  return std::exchange(entry.left_out, 0);
}

void RepeatLimit::ForgetOldest() {
  auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                 [](const auto& a, const auto& b) {
                                   return a.second.admitted < b.second.admitted;
                                 });
  if (oldest != entries_.end()) entries_.erase(oldest);
}

}  // namespace tributary
