// The texts of troubles that servers and commands make alike, so that equal
// ones are shown once.
#ifndef TRIBUTARY_COMMON_STATUS_TROUBLE_TEXT_H_
#define TRIBUTARY_COMMON_STATUS_TROUBLE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status/partition_runs.h"
#include "common/text/terminal_text.h"

namespace tributary {

inline constexpr size_t kMaxTroubleBytes = 256;

// Returns one printable line of at most `most` bytes, cut between characters
// and then ended by "...".
inline std::string BoundedLine(absl::string_view text,
                               size_t most = kMaxTroubleBytes) {
  std::string line = TerminalLine(text);
  if (line.size() <= most) return line;
  size_t end = most - 3;
  while (end > 0 && (line[end] & 0xc0) == 0x80) --end;
  return absl::StrCat(line.substr(0, end), "...");
}

// "1 of 2 partitions of cora@b2c1e0aa90f3 have no owner that answers: 1".
inline std::string NoOwnerText(absl::string_view graph,
                               absl::Span<const uint32_t> missing,
                               size_t num_partitions) {
  constexpr size_t kMostRuns = 8;
  return absl::StrCat(
      missing.size(), " of ", num_partitions, " partitions of ", graph,
      " have no owner that answers: ", RunsText(RunsOf(missing), kMostRuns));
}

// "2 servers do not answer: 10.0.0.1:50051, 10.0.0.2:50051".
inline std::string SilentText(absl::Span<const std::string> addresses) {
  constexpr size_t kMostNamed = 4;
  std::string text = absl::StrCat(
      addresses.size(), addresses.size() == 1 ? " server does not answer: "
                                              : " servers do not answer: ");
  for (size_t i = 0; i < addresses.size() && i < kMostNamed; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", addresses[i]);
  }
  if (addresses.size() > kMostNamed) {
    absl::StrAppend(&text, " and ", addresses.size() - kMostNamed, " more");
  }
  return text;
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_TROUBLE_TEXT_H_
