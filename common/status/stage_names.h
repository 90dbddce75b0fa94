// The stages of a batch by their numbers on the wire.
#ifndef TRIBUTARY_COMMON_STATUS_STAGE_NAMES_H_
#define TRIBUTARY_COMMON_STATUS_STAGE_NAMES_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace tributary {

// In the order of BatchTrace.stage_us and of docs/metrics.md.
inline constexpr absl::string_view kStageNames[] = {
    "queue",       "sample",       "sample_peers", "gather",
    "gather_disk", "gather_peers", "send"};
inline constexpr size_t kNumStageNames = 7;

// Returns the name of a stage; "?" for a number that another release sent.
inline absl::string_view StageName(size_t stage) {
  return stage < kNumStageNames ? kStageNames[stage] : "?";
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_STAGE_NAMES_H_
