#include "channel/error_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace tributary {
namespace {

constexpr size_t kMaxErrorTextBytes = 4096;

}  // namespace

std::string ErrorText(const absl::Status& status) {
  const std::string text(status.message().substr(0, kMaxErrorTextBytes));
  const bool ascii = std::all_of(text.begin(), text.end(), absl::ascii_isascii);
  return ascii ? text : absl::CHexEscape(text);
}

absl::Status ErrorFrom(int32_t code, std::string_view text) {
  constexpr auto kLastCode =
      static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
  const bool known = code > 0 && code <= kLastCode;
  return absl::Status(
      known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
      std::string(text.substr(0, kMaxErrorTextBytes)));
}

}  // namespace tributary
