// Log lines for operators, written to stderr. A program's own output goes to
// stdout and never through here.
#ifndef TRIBUTARY_COMMON_OBSERVE_LOG_H_
#define TRIBUTARY_COMMON_OBSERVE_LOG_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// Parses "debug", "info", "warning", "error" or "off"; INVALID_ARGUMENT for
// anything else.
absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text);

// Sets the level below which lines are dropped; kInfo initially. Thread-safe.
void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);

// Writes one line with time, level, thread and text, and flushes it.
// Thread-safe.
void Log(LogLevel level, std::string_view text);

inline void LogInfo(std::string_view text) { Log(LogLevel::kInfo, text); }
inline void LogError(std::string_view text) { Log(LogLevel::kError, text); }

// Like Log, but writes at most one line per 10 s for the same `key` (for
// example "peer HOST:PORT unreachable"); the next line says how many were left
// out. Thread-safe.
void LogRepeated(LogLevel level, std::string_view key, std::string_view text);

// Decides which lines LogRepeated writes: at most one per key and interval.
// Remembers at most `max_keys` keys and forgets the one admitted longest ago.
// Not thread-safe.
class RepeatLimit {
 public:
  RepeatLimit(absl::Duration interval, size_t max_keys)
      : interval_(interval), max_keys_(max_keys) {}

  // Returns nullopt if this line is to be left out; otherwise how many lines of
  // `key` have been left out since the last one written.
  std::optional<uint64_t> Admit(std::string_view key, absl::Time now);

 private:
  struct Entry {
    absl::Time admitted;
    uint64_t left_out = 0;
  };
  void ForgetOldest();

  const absl::Duration interval_;
  const size_t max_keys_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_LOG_H_
