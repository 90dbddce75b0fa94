// The two forms of log lines, and values that lines carry by name.
#ifndef TRIBUTARY_COMMON_OBSERVE_LOG_FORMAT_H_
#define TRIBUTARY_COMMON_OBSERVE_LOG_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/observe/log.h"

namespace tributary {

// kText: time, a letter for the level, thread, text, then NAME=VALUE for each
// field, in quotes if the value has a space, '=' or '"'. kJson: one JSON object
// a line (docs/logs.md).
enum class LogFormat { kText, kJson };

// Parses "text" or "json"; INVALID_ARGUMENT for anything else.
absl::StatusOr<LogFormat> ParseLogFormat(std::string_view text);

// Sets the form of lines on stderr; kText initially. Lines that other threads
// write meanwhile may have either form.
void SetLogFormat(LogFormat format);
LogFormat CurrentLogFormat();

// A value that a line carries by name, such as the job of a batch. `name` is a
// word of the program in snake_case, and none of time, level, thread, message
// and program. A text may be any: it is sanitised by TerminalLine and cut to
// 256 bytes.
struct LogField {
  std::string name;
  std::variant<std::string, uint64_t> value;
};
using LogFields = std::vector<LogField>;

// Returns the ids of a batch as fields: job, session (the first 16 digits of
// its identity), epoch, index. `session` has the identity's bytes.
LogFields BatchFields(std::string_view job, std::string_view session,
                      uint64_t epoch, uint64_t index);

// Like the functions of log.h, with at most 16 fields: further ones are left
// out. A line has at most 16 KiB.
void Log(LogLevel level, std::string_view text, const LogFields& fields);
void LogRepeated(LogLevel level, std::string_view what, std::string_view who,
                 std::string_view text, const LogFields& fields);

// Prints on stderr what a program has to say whatever its log level is, such as
// why it ends: as TerminalError(program, text) does, or as a line of the log if
// that is JSON. Thread-safe.
void PrintMessage(LogLevel level, std::string_view program,
                  std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_LOG_FORMAT_H_
