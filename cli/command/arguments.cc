#include "cli/command/arguments.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/command/command.h"
#include "common/text/parse_number.h"

namespace tributary {
namespace {

absl::Status Refused(absl::string_view option, absl::string_view text,
                     absl::string_view allowed) {
  return UsageError(
      absl::StrCat(option, " \"", text, "\"\nallowed: ", allowed));
}

// Splits "5m" into its number and its unit; without a unit it is seconds.
std::pair<absl::string_view, absl::Duration> SplitUnit(absl::string_view text) {
  if (absl::ConsumeSuffix(&text, "s")) return {text, absl::Seconds(1)};
  if (absl::ConsumeSuffix(&text, "m")) return {text, absl::Minutes(1)};
  if (absl::ConsumeSuffix(&text, "h")) return {text, absl::Hours(1)};
  return {text, absl::Seconds(1)};
}

}  // namespace

absl::StatusOr<uint64_t> ParseWhole(absl::string_view option,
                                    absl::string_view text, uint64_t min,
                                    uint64_t max) {
  const auto value = ParseNumber<uint64_t>(text);
  if (!value.has_value() || *value < min || *value > max) {
    return Refused(option, text,
                   absl::StrCat("a whole number from ", min, " to ", max));
  }
  return *value;
}

absl::StatusOr<double> ParseReal(absl::string_view option,
                                 absl::string_view text, double min,
                                 double max) {
  const auto value = ParseNumber<double>(text);
  if (value.has_value() && *value >= min && *value <= max) return *value;
  return Refused(option, text, absl::StrCat(min, " to ", max));
}

absl::StatusOr<absl::Duration> ParseSeconds(absl::string_view option,
                                            absl::string_view text,
                                            absl::Duration min,
                                            absl::Duration max) {
  const auto [number, unit] = SplitUnit(text);
  const auto count = ParseNumber<double>(number);
  const double seconds =
      count.value_or(std::nan("")) * absl::ToDoubleSeconds(unit);
  // The negated comparisons refuse NaN.
  if (!(seconds >= absl::ToDoubleSeconds(min)) ||
      !(seconds <= absl::ToDoubleSeconds(max))) {
    return Refused(
        option, text,
        absl::StrCat("seconds from ", absl::ToDoubleSeconds(min), " to ",
                     absl::ToDoubleSeconds(max), ", or 90s, 5m, 1h"));
  }
  return absl::Seconds(seconds);
}

absl::StatusOr<size_t> ParseChoice(absl::string_view option,
                                   absl::string_view text,
                                   const std::vector<std::string>& choices) {
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) return i;
  }
  return Refused(option, text, absl::StrJoin(choices, ", "));
}

absl::StatusOr<GraphName> ParseGraphName(absl::string_view option,
                                         absl::string_view text) {
  auto name = GraphName::Parse(std::string(text));
  if (name.ok()) return name;
  return UsageError(absl::StrCat(option, ": ", name.status().message()));
}

absl::StatusOr<IndexRange> ParseRange(absl::string_view option,
                                      absl::string_view text) {
  const size_t colon = text.find(':');
  std::optional<uint64_t> from, to;
  if (colon != absl::string_view::npos) {
    from = ParseNumber<uint64_t>(text.substr(0, colon));
    to = ParseNumber<uint64_t>(text.substr(colon + 1));
  }
  if (!from.has_value() || !to.has_value() || *from >= *to) {
    return Refused(option, text,
                   "FROM:TO, two whole numbers, FROM below TO; "
                   "0:3 is the batches 0, 1 and 2");
  }
  return IndexRange{*from, *to};
}

}  // namespace tributary
