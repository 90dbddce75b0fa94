// Explains in text where the time of a batch went.
#ifndef TRIBUTARY_COMMON_TRACE_EXPLAIN_H_
#define TRIBUTARY_COMMON_TRACE_EXPLAIN_H_

#include <string>
#include <vector>

#include "common/proto/trace.pb.h"
#include "common/trace/batch_timeline.h"
#include "common/trace/bottleneck.h"

namespace tributary {

// Return lines for a terminal, without line ends: a table of at most 100
// columns, and one last line, of any length, that says where most of the time
// went and what to do about it ("Most of it: ..."). All texts are sanitised and
// all times are bounded, whatever servers told. docs/trace.md reads such a
// table.

// Of a batch as its trainer took it.
std::vector<std::string> ExplainTimeline(const BatchTimeline& timeline);
// Of one attempt, as its server ("HOST:PORT") tells.
std::vector<std::string> ExplainTrace(const std::string& server,
                                      const v1::BatchTrace& trace);

// Returns the last line of ExplainTimeline and ExplainTrace.
std::string Explanation(const BatchTimeline& timeline);
std::string Explanation(const std::string& server, const v1::BatchTrace& trace);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_EXPLAIN_H_
