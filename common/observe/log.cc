#include "common/observe/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <shared_mutex>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/observe/log_format.h"
#include "common/observe/log_sink.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/text/fit_text.h"
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
constexpr size_t kMaxFields = 16;
constexpr size_t kMaxFieldBytes = 256;
constexpr size_t kSessionDigits = 16;

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%e %L [%t] %v";
// %v has the other members, from Members().
constexpr char kJsonPattern[] =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l","thread":%t,%v})";

using Json = nlohmann::ordered_json;

std::atomic<LogLevel>& Level() {
  static std::atomic<LogLevel> level{LogLevel::kInfo};
  return level;
}

std::atomic<LogFormat>& Format() {
  static std::atomic<LogFormat> format{LogFormat::kText};
  return format;
}

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
    made->set_pattern(kTextPattern);
    made->set_level(spdlog::level::trace);  // Level() decides
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

// Returns `text` as a printable line of valid UTF-8, of at most 2048 bytes.
std::string BoundedLine(std::string_view text) {
  std::string line = TerminalLine({text.data(), text.size()});
  // Escaped it may be four times as long.
  if (line.size() > kMaxLineBytes) line = TerminalLine(line);
  return line;
}

// Returns the fields as they are written: few, and each short. An escape is
// pure ASCII, so only a character of the value itself can be cut in two.
LogFields BoundedFields(const LogFields& fields) {
  LogFields out(fields.begin(),
                fields.begin() + std::min(fields.size(), kMaxFields));
  for (LogField& field : out) {
    auto* text = std::get_if<std::string>(&field.value);
    if (text == nullptr) continue;
    *text = FitText(*text, kMaxFieldBytes);
  }
  return out;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Returns the members of a JSON object, without its braces.
std::string Members(const std::string& line, const LogFields& fields) {
  Json object = {{"message", line}};
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { object[field.name] = value; },
               field.value);
  }
  const std::string text = Dump(object);
  return text.substr(1, text.size() - 2);
}

// Returns the value as text has it. Quotes keep one that a caller chose from
// looking like further fields.
std::string TextOf(const std::variant<std::string, uint64_t>& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) {
    return absl::StrCat(*number);
  }
  const auto& text = std::get<std::string>(value);
  return text.find_first_of(" =\"") == std::string::npos ? text : Dump(text);
}

std::string WithFields(std::string line, const LogFields& fields) {
  for (const LogField& field : fields) {
    absl::StrAppend(&line, " ", field.name, "=", TextOf(field.value));
  }
  return line;
}

// Writes one line, whatever the level of the log is.
void Write(LogLevel level, std::string_view text, const LogFields& unbounded) {
  const std::string line = BoundedLine(text);
  const LogFields fields = BoundedFields(unbounded);
  SharedSink& shared = ProcessSink();
  std::shared_lock lock(shared.mutex);
  if (shared.sink) return shared.sink(level, WithFields(line, fields));
  const std::string out = CurrentLogFormat() == LogFormat::kJson
                              ? Members(line, fields)
                              : WithFields(line, fields);
  Logger().log(ToSpdlog(level), spdlog::string_view_t(out.data(), out.size()));
}

// Returns `text` with the number of lines that are left out; nullopt if this
// one is, too.
std::optional<std::string> AdmitLine(std::string_view what,
                                     std::string_view who,
                                     std::string_view text) {
  std::optional<uint64_t> repeats, others;
  {
    SharedLimit& shared = ProcessLimit();
    MutexLock lock(shared.mutex);
    const absl::Time now = SteadyClock().Now();
    const std::string key =
        absl::StrCat(std::string(what), "\n", std::string(who));
    if (repeats = shared.repeats.Admit(key, now); !repeats) return std::nullopt;
    if (others = shared.rate.Admit(what, now); !others) return std::nullopt;
  }
  std::string line(text.substr(0, kMaxLineBytes));
  if (*repeats > 0)
    absl::StrAppend(&line, " (", *repeats, " such lines left out)");
  if (*others > 0)
    absl::StrAppend(&line, " (", *others, " other lines left out)");
  return line;
}

}  // namespace

absl::StatusOr<LogFormat> ParseLogFormat(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return absl::InvalidArgumentError(absl::StrCat(
      "log format '", std::string(text), "' is none of text, json"));
}

void SetLogFormat(LogFormat format) {
  Format().store(format);
  if (format == LogFormat::kJson) {
    Logger().set_pattern(kJsonPattern, spdlog::pattern_time_type::utc);
  } else {
    Logger().set_pattern(kTextPattern);
  }
}

LogFormat CurrentLogFormat() { return Format().load(); }

LogFields BatchFields(std::string_view job, std::string_view session,
                      uint64_t epoch, uint64_t index) {
  std::string digits = absl::BytesToHexString({session.data(), session.size()});
  if (digits.size() > kSessionDigits) digits.resize(kSessionDigits);
  return {{"job", std::string(job)},
          {"session", std::move(digits)},
          {"epoch", epoch},
          {"index", index}};
}

absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text) {
  for (const auto& [name, level] : kNames) {
    if (name == text) return level;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log level '", std::string(text),
                   "' is none of debug, info, warning, error, off"));
}

void SetLogLevel(LogLevel level) { Level().store(level); }

void SetLogSink(LogSink sink) {
  SharedSink& shared = ProcessSink();
  std::unique_lock lock(shared.mutex);
  shared.sink = std::move(sink);
}

bool LogEnabled(LogLevel level) {
  return level != LogLevel::kOff && level >= Level().load();
}

void Log(LogLevel level, std::string_view text) { Log(level, text, {}); }

void Log(LogLevel level, std::string_view text, const LogFields& fields) {
  if (LogEnabled(level)) Write(level, text, fields);
}

void LogRepeated(LogLevel level, std::string_view what, std::string_view who,
                 std::string_view text) {
  LogRepeated(level, what, who, text, {});
}

void LogRepeated(LogLevel level, std::string_view what, std::string_view who,
                 std::string_view text, const LogFields& fields) {
  if (!LogEnabled(level)) return;
  const std::optional<std::string> line = AdmitLine(what, who, text);
  if (line) Write(level, *line, fields);
}

void PrintMessage(LogLevel level, std::string_view program,
                  std::string_view text) {
  if (CurrentLogFormat() == LogFormat::kJson) {
    return Write(level, text, {{"program", std::string(program)}});
  }
  const std::string out = TerminalError({program.data(), program.size()},
                                        {text.data(), text.size()});
  std::fputs(out.c_str(), stderr);
  std::fflush(stderr);
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
