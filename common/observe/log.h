// Lines for operators, on stderr. What a program is asked for goes to stdout
// and never through here.
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

// "debug", "info", "warning", "error", "off"; else INVALID_ARGUMENT.
absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text);

// Lines below `level` are dropped; kInfo at first. Thread-safe.
void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);

// One line: time, level, thread, text. Thread-safe; written at once.
void Log(LogLevel level, std::string_view text);

inline void LogInfo(std::string_view text) { Log(LogLevel::kInfo, text); }
inline void LogError(std::string_view text) { Log(LogLevel::kError, text); }

// As Log, but at most one line each 10 s for the same `key` (say, "peer
// HOST:PORT unreachable"): the next one says how many were left out.
void LogRepeated(LogLevel level, std::string_view key, std::string_view text);

// The rule behind LogRepeated. Not thread-safe. Remembers at most `max_keys`
// keys; the one admitted longest ago is forgotten.
class RepeatLimit {
 public:
  RepeatLimit(absl::Duration interval, size_t max_keys)
      : interval_(interval), max_keys_(max_keys) {}

  // How many lines of `key` were left out since the last one, if this one is
  // to be written; else none.
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
