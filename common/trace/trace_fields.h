// The forms of ids and times in traces.
#ifndef TRIBUTARY_COMMON_TRACE_TRACE_FIELDS_H_
#define TRIBUTARY_COMMON_TRACE_TRACE_FIELDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace tributary {

// The bytes of a trace's id, where a message has one.
inline constexpr size_t kTraceIdBytes = 16;

// Returns whole microseconds; 0 for a negative time.
inline uint64_t TraceMicros(absl::Duration time) {
  return static_cast<uint64_t>(
      std::max<int64_t>(0, absl::ToInt64Microseconds(time)));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_TRACE_FIELDS_H_
