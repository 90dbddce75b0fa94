#include "cli/command/command.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/command/error_message.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr char kUsagePayload[] = "tributary/usage";
constexpr char kExitCodePayload[] = "tributary/exit-code";

bool IsUsage(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
}

}  // namespace

absl::Status UsageError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

// Of exit_code.h, which few commands need.
absl::Status WithExitCode(absl::Status status, int exit_code) {
  status.SetPayload(kExitCodePayload, absl::Cord(absl::StrCat(exit_code)));
  return status;
}

int ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return 0;
  if (const auto code = status.GetPayload(kExitCodePayload)) {
    int number = kExitFailure;
    return absl::SimpleAtoi(std::string(*code), &number) ? number
                                                         : kExitFailure;
  }
  return IsUsage(status) ? kExitUsage : kExitFailure;
}

std::string ErrorMessage(const absl::Status& status) {
  const std::string code =
      IsUsage(status)
          ? ""
          : absl::StrCat(absl::StatusCodeToString(status.code()), ": ");
  return absl::StrCat(code, status.message());
}

std::string ErrorText(absl::string_view program, const absl::Status& status) {
  return TerminalError(program, ErrorMessage(status));
}

}  // namespace tributary
