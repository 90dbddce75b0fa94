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

// Writes one line with time, level, thread and text, and flushes it. The text
// may quote anything: it is sanitised by TerminalLine and has at most 2048
// bytes then. A line that stderr does not take is lost. Thread-safe.
void Log(LogLevel level, std::string_view text);

inline void LogInfo(std::string_view text) { Log(LogLevel::kInfo, text); }
inline void LogError(std::string_view text) { Log(LogLevel::kError, text); }

// Like Log, for lines that others can cause: writes at most one per 10 s of the
// same `what` and `who`, 30 and then 1/s of the same `what`, and 100 and then
// 3/s in all, whatever the keys are. The next line says how many were left out.
// `what` is the kind of line ("batch stream closed"); `who` is what the cause
// cannot change at will: a host, a job, an address that was listed; never an
// address with the port of a client. Thread-safe.
void LogRepeated(LogLevel level, std::string_view what, std::string_view who,
                 std::string_view text);
inline void LogRepeated(LogLevel level, std::string_view what,
                        std::string_view text) {
  LogRepeated(level, what, "", text);
}

// A rate of lines: `burst` at once, then `per_second`.
struct LineRateLimit {
  double per_second = 1;
  double burst = 1;
};

// Decides by token buckets which lines LogRepeated writes: one bucket for each
// kind of line, and one for all. Remembers at most 256 kinds; lines of kinds
// beyond that share a bucket. Not thread-safe.
class LineRate {
 public:
  LineRate(LineRateLimit kind, LineRateLimit all) : kind_(kind), all_(all) {}

  // Returns nullopt if a line of this kind is to be left out; otherwise how
  // many lines of all kinds have been left out since the last one written.
  std::optional<uint64_t> Admit(std::string_view kind, absl::Time now);
  size_t num_kinds() const { return kinds_.size(); }

 private:
  struct Bucket {
    std::optional<absl::Time> at;  // when `tokens` was right
    double tokens = 0;
  };
  static void Fill(const LineRateLimit& limit, absl::Time now, Bucket& bucket);
  Bucket& BucketOf(std::string_view kind, absl::Time now);

  const LineRateLimit kind_, all_;
  std::map<std::string, Bucket, std::less<>> kinds_;
  Bucket total_;
  uint64_t left_out_ = 0;
};

// Leaves out lines that repeat: at most one passes per key and interval.
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
