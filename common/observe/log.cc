#include "common/observe/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log_sink.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr std::pair<std::string_view, LogLevel> kNames[] = {
    {"debug", LogLevel::kDebug},     {"info", LogLevel::kInfo},
    {"warning", LogLevel::kWarning}, {"error", LogLevel::kError},
    {"off", LogLevel::kOff},
};

constexpr size_t kMaxLineBytes = 2048;
constexpr size_t kMaxKinds = 256;

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

// Readers are in the sink; who sets another one waits for them.
struct SharedSink {
  std::shared_mutex mutex;
  LogSink sink;
};

SharedSink& ProcessSink() {
  static SharedSink* const sink = new SharedSink;
  return *sink;
}

struct SharedLimit {
  Mutex mutex;
  RepeatLimit repeats ABSL_GUARDED_BY(mutex){absl::Seconds(10), 256};
  LineRate rate ABSL_GUARDED_BY(mutex){{.per_second = 1, .burst = 30},
                                       {.per_second = 3, .burst = 100}};
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

void SetLogSink(LogSink sink) {
  SharedSink& shared = ProcessSink();
  std::unique_lock lock(shared.mutex);
  shared.sink = std::move(sink);
}

bool LogEnabled(LogLevel level) {
  return level != LogLevel::kOff && Logger().should_log(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view text) {
  if (!LogEnabled(level)) return;
  std::string line = TerminalLine({text.data(), text.size()});
  // Escaped it may be four times as long.
  if (line.size() > kMaxLineBytes) line = TerminalLine(line);
  SharedSink& shared = ProcessSink();
  std::shared_lock lock(shared.mutex);
  if (shared.sink) return shared.sink(level, line);
  Logger().log(ToSpdlog(level),
               spdlog::string_view_t(line.data(), line.size()));
}

void LogRepeated(LogLevel level, std::string_view what, std::string_view who,
                 std::string_view text) {
  if (!LogEnabled(level)) return;
  std::optional<uint64_t> repeats, others;
  {
    SharedLimit& shared = ProcessLimit();
    MutexLock lock(shared.mutex);
    const absl::Time now = SteadyClock().Now();
    const std::string key =
        absl::StrCat(std::string(what), "\n", std::string(who));
    if (repeats = shared.repeats.Admit(key, now); !repeats) return;
    if (others = shared.rate.Admit(what, now); !others) return;
  }
  std::string line(text.substr(0, kMaxLineBytes));
  if (*repeats > 0)
    absl::StrAppend(&line, " (", *repeats, " such lines left out)");
  if (*others > 0)
    absl::StrAppend(&line, " (", *others, " other lines left out)");
  Log(level, line);
}

void LineRate::Fill(const LineRateLimit& limit, absl::Time now,
                    Bucket& bucket) {
  const absl::Duration since =
      bucket.at.has_value() ? now - *bucket.at : absl::InfiniteDuration();
  bucket.tokens =
      std::min(limit.burst,
               bucket.tokens + limit.per_second * absl::ToDoubleSeconds(since));
  bucket.at = now;
}

LineRate::Bucket& LineRate::BucketOf(std::string_view kind, absl::Time now) {
  auto it = kinds_.find(kind);
  if (it != kinds_.end()) return it->second;
  if (kinds_.size() >= kMaxKinds - 1) {
    std::erase_if(kinds_, [&](const auto& entry) {
      Bucket bucket = entry.second;
      Fill(kind_, now, bucket);
      return bucket.tokens >= kind_.burst;
    });
  }
  const bool full = kinds_.size() >= kMaxKinds - 1;
  return kinds_[full ? std::string() : std::string(kind)];
}

std::optional<uint64_t> LineRate::Admit(std::string_view kind, absl::Time now) {
  Bucket& of_kind = BucketOf(kind, now);
  Fill(kind_, now, of_kind);
  Fill(all_, now, total_);
  if (of_kind.tokens < 1 || total_.tokens < 1) {
    ++left_out_;
    return std::nullopt;
  }
  --of_kind.tokens;
  --total_.tokens;
  return std::exchange(left_out_, 0);
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
