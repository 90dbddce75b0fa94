#include "common/observe/log_flags.h"

#include <stdlib.h>

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/observe/log_format.h"

namespace tributary {
namespace {

constexpr char kLevelVariable[] = "TRIBUTARY_LOG_LEVEL";
constexpr char kFormatVariable[] = "TRIBUTARY_LOG_FORMAT";

absl::Status OfFlag(const char* flag, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(flag, ": ", std::string(status.message())));
}

}  // namespace

void AddLogFlags(CLI::App& app, LogFlags& flags) {
  app.add_option("--log-level", flags.level,
                 "debug, info, warning, error or off")
      ->envname(kLevelVariable)
      ->capture_default_str();
  app.add_option("--log-format", flags.format,
                 "How lines on stderr look: text, or json, an object each")
      ->envname(kFormatVariable)
      ->capture_default_str();
}

absl::Status ApplyLogFlags(const LogFlags& flags) {
  const auto level = ParseLogLevel(flags.level);
  if (!level.ok()) return OfFlag("--log-level", level.status());
  const auto format = ParseLogFormat(flags.format);
  if (!format.ok()) return OfFlag("--log-format", format.status());
  SetLogLevel(*level);
  SetLogFormat(*format);
  setenv(kLevelVariable, flags.level.c_str(), 1);
  setenv(kFormatVariable, flags.format.c_str(), 1);
  return absl::OkStatus();
}

}  // namespace tributary
