#include "cli/command.h"

#include <algorithm>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

constexpr size_t kMaxLines = 3;
constexpr char kUsagePayload[] = "tributary/usage";

bool IsUsage(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
}

// UTF-8 stays; what could move a terminal's cursor does not.
std::string Printable(absl::string_view line) {
  std::string out;
  for (char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppend(&out, absl::CHexEscape(absl::string_view(&c, 1)));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

absl::Status UsageError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

int ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return 0;
  return IsUsage(status) ? kExitUsage : kExitFailure;
}

std::string ErrorText(absl::string_view program, const absl::Status& status) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    if (lines.size() == kMaxLines) break;
    lines.push_back(Printable(line));
  }
  const std::string code =
      IsUsage(status)
          ? ""
          : absl::StrCat(absl::StatusCodeToString(status.code()), ": ");
  return absl::StrCat(program, ": ", code, absl::StrJoin(lines, "\n"), "\n");
}

}  // namespace tributary
