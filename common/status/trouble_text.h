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
#include "common/text/named_list.h"

namespace tributary {

// Limit of the text of a trouble.
inline constexpr size_t kMaxTroubleBytes = 256;

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
  return absl::StrCat(addresses.size(),
                      addresses.size() == 1 ? " server does not answer: "
                                            : " servers do not answer: ",
                      NamedList(addresses, 4));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_TROUBLE_TEXT_H_
