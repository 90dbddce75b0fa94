#include "cli/k8s/quantity.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

constexpr double kMostBytes = 4611686018427387904.0;  // 2^62

// Splits "1.5Gi" into 1.5 and "Gi". The number has digits and at most one point
// between them: no sign, no exponent.
std::optional<std::pair<double, absl::string_view>> Split(
    absl::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (absl::ascii_isdigit(text[end]) || text[end] == '.')) {
    ++end;
  }
  double number = 0;
  if (end == 0 || text[0] == '.' || text[end - 1] == '.' ||
      !absl::SimpleAtod(text.substr(0, end), &number)) {
    return std::nullopt;
  }
  return std::make_pair(number, text.substr(end));
}

std::optional<double> ScaleOf(absl::string_view suffix) {
  static constexpr std::pair<absl::string_view, double> kScales[] = {
      {"", 1},         {"k", 1e3},         {"M", 1e6},
      {"G", 1e9},      {"T", 1e12},        {"Ki", 1024.0},
      {"Mi", 1048576}, {"Gi", 1073741824}, {"Ti", 1099511627776}};
  for (const auto& [name, scale] : kScales) {
    if (name == suffix) return scale;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> BytesOfQuantity(absl::string_view text) {
  const auto parts = Split(text);
  if (!parts) return std::nullopt;
  const auto scale = ScaleOf(parts->second);
  if (!scale) return std::nullopt;
  const double bytes = std::ceil(parts->first * *scale);
  if (bytes > kMostBytes) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

std::optional<uint32_t> CoresOfQuantity(absl::string_view text) {
  const auto parts = Split(text);
  if (!parts || (!parts->second.empty() && parts->second != "m")) {
    return std::nullopt;
  }
  const double cores =
      std::ceil(parts->second.empty() ? parts->first : parts->first / 1000);
  if (cores < 1 || cores > 1024) return std::nullopt;
  return static_cast<uint32_t>(cores);
}

std::string GibibytesFor(uint64_t bytes) {
  constexpr uint64_t kGibibyte = uint64_t{1} << 30;
  return absl::StrCat(bytes / kGibibyte + (bytes % kGibibyte != 0), "Gi");
}

}  // namespace tributary
