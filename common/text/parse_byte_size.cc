#include "common/text/parse_byte_size.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tributary {
namespace {

// The power of two that a unit stands for, or -1.
int UnitShift(absl::string_view unit) {
  std::string lower = absl::AsciiStrToLower(unit);
  if (lower.empty() || lower == "b") return 0;
  if (lower.size() > 1 && lower.back() == 'b') lower.pop_back();
  if (lower.size() == 2 && lower[1] == 'i') lower.pop_back();
  if (lower == "k") return 10;
  if (lower == "m") return 20;
  if (lower == "g") return 30;
  return -1;
}

}  // namespace

absl::StatusOr<uint64_t> ParseByteSize(std::string_view size) {
  const std::string all(size);
  const absl::string_view text = absl::StripAsciiWhitespace(all);
  size_t digits = 0;
  while (digits < text.size() &&
         (absl::ascii_isdigit(text[digits]) || text[digits] == '.')) {
    ++digits;
  }
  double number = 0;
  const int shift =
      UnitShift(absl::StripLeadingAsciiWhitespace(text.substr(digits)));
  if (shift < 0 || !absl::SimpleAtod(text.substr(0, digits), &number)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", all,
                     "\" is no size in bytes; allowed: a number and a unit, as "
                     "in 4096, 64MB, 1.5GiB"));
  }
  const double bytes = number * static_cast<double>(uint64_t{1} << shift);
  // Above 2^53 a double skips integers; no ring is that large.
  if (bytes > 9007199254740992.0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", all, "\" is more than 2^53 bytes"));
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace tributary
