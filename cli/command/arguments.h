// Strict parsers of flag values: signs, spaces and trailing characters are
// refused. Errors are usage errors that name the flag, the value and what is
// allowed.
#ifndef TRIBUTARY_CLI_COMMAND_ARGUMENTS_H_
#define TRIBUTARY_CLI_COMMAND_ARGUMENTS_H_

#include <cstdint>
#include <string>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/fleet/graph_name.h"

namespace tributary {

// Parses a whole number in [min, max].
absl::StatusOr<uint64_t> ParseWhole(absl::string_view option,
                                    absl::string_view text, uint64_t min = 0,
                                    uint64_t max = UINT64_MAX);

// Parses a number in [min, max].
absl::StatusOr<double> ParseReal(absl::string_view option,
                                 absl::string_view text, double min,
                                 double max);

// Parses a duration in [min, max]: a number, with or without a fraction, of
// seconds, or of what its unit says: 90, 90s, 1.5m, 1h.
absl::StatusOr<absl::Duration> ParseSeconds(absl::string_view option,
                                            absl::string_view text,
                                            absl::Duration min,
                                            absl::Duration max);

// Returns the index of `text` in `choices`.
absl::StatusOr<size_t> ParseChoice(absl::string_view option,
                                   absl::string_view text,
                                   const std::vector<std::string>& choices);

// Parses NAME, NAME@VERSION, or an empty text.
absl::StatusOr<GraphName> ParseGraphName(absl::string_view option,
                                         absl::string_view text);

// A half-open range that is not empty: FROM:TO.
struct IndexRange {
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};
absl::StatusOr<IndexRange> ParseRange(absl::string_view option,
                                      absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_ARGUMENTS_H_
