// The sentence that explains a slow batch, with what to do about it.
#ifndef TRIBUTARY_COMMON_TRACE_ADVICE_H_
#define TRIBUTARY_COMMON_TRACE_ADVICE_H_

#include <string>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/trace/bottleneck.h"

namespace tributary {

// Returns what follows "Most of it: 410 of 452 ms " for a finding of a server's
// own: "waiting for ...". `trace` is that of the finding's server; null if it
// has told none.
std::string AdviceOf(const Finding& finding, const v1::BatchTrace* trace);

// Returns a time as "0.2", "12.3" or "410" in milliseconds, without the unit.
std::string Millis(absl::Duration time);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_ADVICE_H_
