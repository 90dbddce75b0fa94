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

}  // namespace tributary
