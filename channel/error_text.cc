#include "channel/error_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace tributary {
namespace {

constexpr size_t kMaxErrorTextBytes = 4096;

std::string Printable(absl::string_view text) {
  text = text.substr(0, kMaxErrorTextBytes);
  if (std::all_of(text.begin(), text.end(), absl::ascii_isprint)) {
    return std::string(text);
  }
  // Escaped it may be four times as long.
  return absl::CHexEscape(text).substr(0, kMaxErrorTextBytes);
}

}  // namespace

std::string ErrorText(const absl::Status& status) {
  return Printable(status.message());
}

absl::Status ErrorFrom(int32_t code, std::string_view text) {
  constexpr auto kLastCode =
      static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
  const bool known = code > 0 && code <= kLastCode;
  return absl::Status(
      known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
      Printable({text.data(), text.size()}));
}

}  // namespace tributary
