#include "cli/fleet/check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

const char* LevelName(Check::Level level) {
  switch (level) {
    case Check::Level::kOk:
      return "ok";
    case Check::Level::kWarn:
      return "warn";
    case Check::Level::kFail:
      return "fail";
  }
  return "";
}

}  // namespace

std::string Check::ToString() const {
  std::string line = LevelName(level);
  line.resize(6, ' ');
  // A server's error may hold any bytes; one check must stay one line.
  absl::StrAppend(&line, what, ": ", TerminalLine(detail));
  if (!remedy.empty()) absl::StrAppend(&line, "; ", TerminalLine(remedy));
  return line;
}

int CountFailed(const std::vector<Check>& checks) {
  return static_cast<int>(std::count_if(
      checks.begin(), checks.end(),
      [](const Check& check) { return check.level == Check::Level::kFail; }));
}

}  // namespace tributary
