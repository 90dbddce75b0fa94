// What must hold of the timeline of any batch that a trainer gets.
#ifndef TRIBUTARY_TESTS_SIM_TIMELINE_CHECKS_H_
#define TRIBUTARY_TESTS_SIM_TIMELINE_CHECKS_H_

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/trace/batch_timeline.h"

namespace tributary {

struct TimelineRules {
  bool liars = false;  // servers may tell anything
  std::string job;
};

// Returns what is wrong; empty if nothing is.
inline std::string WrongInTimeline(const BatchTimeline& batch,
                                   const TimelineRules& rules) {
  const std::string which = absl::StrCat("batch ", batch.key.index, ": ");
  if (batch.trace_id.size() != 16) return which + "no trace id";
  if (batch.job != rules.job) return which + "another job: " + batch.job;
  const auto brought = std::find_if(
      batch.attempts.begin(), batch.attempts.end(), [&](const auto& attempt) {
        return attempt.status.ok() && attempt.ended == batch.ready;
      });
  if (brought == batch.attempts.end()) return which + "no attempt brought it";
  for (const BatchAttempt& attempt : batch.attempts) {
    if (attempt.asked > attempt.ended) return which + "an answer came too soon";
    if (attempt.asked > batch.taken) return which + "asked once it was taken";
  }
  if (batch.ready > batch.taken) return which + "taken before it was ready";
  if (rules.liars) return "";
  if (!brought->trace.has_value()) return which + "its server says nothing";
  const v1::BatchTrace& trace = *brought->trace;
  if (trace.trace_id() != batch.trace_id) return which + "another trace's id";
  if (trace.index() != batch.key.index) return which + "another batch's trace";
  if (trace.job() != rules.job) return which + "another job's trace";
  if (trace.spans_size() == 0) return which + "no spans";
  uint64_t end = 0;
  for (const v1::StageSpan& span : trace.spans()) {
    if (span.start_us() + 1 < end) return which + "spans overlap";
    end = span.start_us() + span.duration_us();
  }
  for (const v1::PeerCallSpan& call : trace.calls()) {
    // The last of a cancelled one may be noted while the batch goes on.
    if (call.peer().empty()) return which + "a call to nobody";
    if (call.code() == 0 && call.times().queue_us() + call.times().work_us() +
                                    call.times().disk_us() >
                                2 * call.duration_us() + 1000) {
      return which + "a peer that took longer than its call";
    }
  }
  return "";
}

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_TIMELINE_CHECKS_H_
