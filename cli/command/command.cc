#include "cli/command/command.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr char kUsagePayload[] = "tributary/usage";

bool IsUsage(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
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
  const std::string code =
      IsUsage(status)
          ? ""
          : absl::StrCat(absl::StatusCodeToString(status.code()), ": ");
  return TerminalError(program, absl::StrCat(code, status.message()));
}

}  // namespace tributary
