#include "partition/pipeline/inputs/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

absl::string_view Trim(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "+") && absl::StartsWith(text, "-")) return "";
  return text;
}

template <typename T>
std::optional<T> ParseAll(absl::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

// Handles numbers below the least denormal, which from_chars reports as out of
// range. strtof and strtod round them to zero or the least denormal.
template <typename T>
std::optional<T> ParseBelowDenormal(absl::string_view text) {
  const std::string terminated(text);
  char* end = nullptr;
  T value;
  if constexpr (std::is_same_v<T, float>) {
    value = std::strtof(terminated.c_str(), &end);
  } else {
    value = std::strtod(terminated.c_str(), &end);
  }
  if (end != terminated.c_str() + terminated.size()) return std::nullopt;
  if (std::isinf(value)) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> ParseFloating(absl::string_view text) {
  text = Trim(text);
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    return ParseBelowDenormal<T>(text);
  if (error != std::errc() || at != end) return std::nullopt;
  if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  return value;
}

bool AllDigits(absl::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return true;
}

// A decimal number in parts: its value is 0.`digits` * 10^`point`.
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t point = 0;
};

std::optional<Decimal> ParseDecimal(absl::string_view text) {
  Decimal decimal;
  decimal.negative = absl::ConsumePrefix(&text, "-");
  const size_t e = text.find_first_of("eE");
  if (e != absl::string_view::npos) {
    absl::string_view exponent = text.substr(e + 1);
    absl::ConsumePrefix(&exponent, "+");
    const auto value = ParseAll<int32_t>(exponent);
    if (!value.has_value()) return std::nullopt;
    decimal.point = *value;
    text = text.substr(0, e);
  }
  const size_t dot = text.find('.');
  const absl::string_view whole = text.substr(0, dot);
  const absl::string_view fraction =
      dot == absl::string_view::npos ? "" : text.substr(dot + 1);
  decimal.digits.append(whole.data(), whole.size());
  decimal.digits.append(fraction.data(), fraction.size());
  decimal.point += static_cast<int64_t>(whole.size());
  if (decimal.digits.empty() || !AllDigits(decimal.digits)) return std::nullopt;
  return decimal;
}

}  // namespace

std::optional<float> ParseFloat32(absl::string_view text) {
  return ParseFloating<float>(text);
}

std::optional<double> ParseFloat64(absl::string_view text) {
  return ParseFloating<double>(text);
}

std::optional<int64_t> ParseWholeNumber(absl::string_view text) {
  text = Trim(text);
  if (const auto whole = ParseAll<int64_t>(text)) return whole;
  std::optional<Decimal> decimal = ParseDecimal(text);
  if (!decimal.has_value()) return std::nullopt;
  // Without leading zeros at most 19 digits remain left of the point.
  const size_t zeros =
      std::min(decimal->digits.find_first_not_of('0'), decimal->digits.size());
  decimal->digits.erase(0, zeros);
  decimal->point -= static_cast<int64_t>(zeros);
  if (decimal->digits.empty()) return 0;
  if (decimal->point < 1 || decimal->point > 19) return std::nullopt;
  const auto point = static_cast<size_t>(decimal->point);
  if (decimal->digits.size() < point) decimal->digits.resize(point, '0');
  if (decimal->digits.find_first_not_of('0', point) != std::string::npos) {
    return std::nullopt;
  }
  return ParseAll<int64_t>((decimal->negative ? "-" : "") +
                           decimal->digits.substr(0, point));
}

std::optional<int64_t> ParseId(absl::string_view text) {
  text = Trim(text);
  if (text.empty() || text[0] == '-') return std::nullopt;
  return ParseAll<int64_t>(text);
}

std::optional<int64_t> ParseCount(absl::string_view text) {
  const auto count = ParseId(text);
  return count.has_value() && *count <= kMaxCount ? count : std::nullopt;
}

}  // namespace tributary
