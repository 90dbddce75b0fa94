// The error of a graph that is not its input.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_DIFFERS_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_DIFFERS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

inline absl::Status Differs(const std::string& what) {
  return absl::FailedPreconditionError(
      absl::StrCat("the graph is not what the input says: ", what));
}

inline absl::Status CompareCounts(const std::string& what, int64_t graph,
                                  int64_t input) {
  if (graph == input) return absl::OkStatus();
  return Differs(absl::StrCat(what, ": ", graph, " in the graph, ", input,
                              " in the input"));
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_DIFFERS_H_
