#include "cli/check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

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
  absl::StrAppend(&line, what, ": ", detail);
  if (!remedy.empty()) absl::StrAppend(&line, "; ", remedy);
  // A server's error may hold anything: one check stays one line.
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return line;
}

int CountFailed(const std::vector<Check>& checks) {
  return static_cast<int>(std::count_if(
      checks.begin(), checks.end(),
      [](const Check& check) { return check.level == Check::Level::kFail; }));
}

}  // namespace tributary
