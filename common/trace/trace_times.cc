#include "common/trace/trace_times.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/fit_text.h"

namespace tributary {
namespace {

absl::Duration FromMicros(uint64_t us) {
  static const uint64_t most = absl::ToInt64Microseconds(kLongestTraced);
  return absl::Microseconds(static_cast<int64_t>(std::min(us, most)));
}

// Takes at most `left` of a time that a peer has told.
absl::Duration Take(uint64_t us, absl::Duration& left) {
  const absl::Duration taken = std::min(FromMicros(us), left);
  left -= taken;
  return taken;
}

const char* CallName(v1::PeerCallSpan::Call call) {
  switch (call) {
    case v1::PeerCallSpan::CALL_SAMPLE_HOP:
      return "sample_hop";
    case v1::PeerCallSpan::CALL_GATHER:
      return "gather";
    case v1::PeerCallSpan::CALL_QUESTION:
      return "question";
    default:
      return "call";
  }
}

PeerCallTimes ReadCall(const v1::PeerCallSpan& span) {
  PeerCallTimes call;
  call.peer = FitText(span.peer(), 256);
  call.call = CallName(span.call());
  call.partition = span.partition();
  call.start = FromMicros(span.start_us());
  call.duration = FromMicros(span.duration_us());
  call.code = span.code();
  call.reply_bytes = span.reply_bytes();
  call.network = call.duration;
  call.queue = Take(span.times().queue_us(), call.network);
  call.work = Take(span.times().work_us(), call.network);
  call.disk = Take(span.times().disk_us(), call.network);
  return call;
}

// Cuts [start, start + duration] at `most`.
template <typename Span>
void CutAt(absl::Duration most, Span& span) {
  span.start = std::min(span.start, most);
  span.duration = std::min(span.duration, most - span.start);
}

void CutAt(absl::Duration most, PeerCallTimes& call) {
  const absl::Duration before = call.duration;
  CutAt<PeerCallTimes>(most, call);
  if (call.duration == before) return;
  // The parts keep their shares.
  const double scale =
      absl::FDivDuration(call.duration, std::max(before, absl::Nanoseconds(1)));
  for (absl::Duration* part : {&call.queue, &call.work, &call.disk}) {
    *part *= scale;
  }
  call.network = std::max(absl::ZeroDuration(),
                          call.duration - call.queue - call.work - call.disk);
}

void CutAtTotal(ServerTimes& times) {
  for (StageSpanTimes& span : times.spans) CutAt(times.total, span);
  for (PeerCallTimes& call : times.calls) CutAt(times.total, call);
}

}  // namespace

ServerTimes ReadServerTimes(const v1::BatchTrace& trace) {
  ServerTimes times;
  for (int i = 0; i < trace.stage_us_size(); ++i) {
    if (static_cast<size_t>(i) >= kNumTimedStages) break;
    absl::Duration left = kLongestTraced - times.total;
    times.stages[i] = Take(trace.stage_us(i), left);
    times.total += times.stages[i];
  }
  times.more_spans = trace.more_spans();
  for (const v1::StageSpan& span : trace.spans()) {
    if (span.stage() >= kNumTimedStages || times.spans.size() == kMostTraced) {
      ++times.more_spans;
      continue;
    }
    times.spans.push_back({static_cast<TimedStage>(span.stage()),
                           FromMicros(span.start_us()),
                           FromMicros(span.duration_us())});
  }
  times.more_calls = trace.more_calls();
  for (const v1::PeerCallSpan& span : trace.calls()) {
    if (times.calls.size() == kMostTraced) {
      ++times.more_calls;
      continue;
    }
    times.calls.push_back(ReadCall(span));
  }
  CutAtTotal(times);
  std::stable_sort(times.calls.begin(), times.calls.end(),
                   [](const PeerCallTimes& a, const PeerCallTimes& b) {
                     return a.duration > b.duration;
                   });
  return times;
}

ServerTimes ReadServerTimes(const v1::BatchTrace& trace, absl::Duration most) {
  ServerTimes times = ReadServerTimes(trace);
  if (times.total <= most) return times;
  const double scale = absl::FDivDuration(most, times.total);
  for (absl::Duration& stage : times.stages) stage *= scale;
  times.total = most;
  CutAtTotal(times);
  return times;
}

absl::Duration TracedTime(absl::Time begin, absl::Time end) {
  for (const absl::Time time : {begin, end}) {
    if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) {
      return absl::ZeroDuration();
    }
  }
  return std::clamp(end - begin, absl::ZeroDuration(), kLongestTraced);
}

absl::Time ArrivalOf(const v1::BatchTrace& trace) {
  constexpr uint64_t kLatest = uint64_t{4'000'000'000} * 1'000'000;
  return absl::FromUnixMicros(
      static_cast<int64_t>(std::min(trace.arrived_unix_us(), kLatest)));
}

const BatchAttempt* TakenAttempt(const BatchTimeline& timeline) {
  const BatchAttempt* taken = nullptr;
  for (const BatchAttempt& attempt : timeline.attempts) {
    if (!attempt.status.ok() || attempt.ended == absl::InfiniteFuture()) {
      continue;
    }
    // An answer after `ready` came again and was dropped; one long before it
    // was given up for another batch and asked for once more.
    const bool in_time = attempt.ended <= timeline.ready;
    if (taken == nullptr || (in_time && attempt.ended > taken->ended)) {
      taken = &attempt;
    }
  }
  return taken;
}

absl::Time FirstAsked(const BatchTimeline& timeline) {
  absl::Time first = timeline.ready;
  for (const BatchAttempt& attempt : timeline.attempts) {
    first = std::min(first, attempt.asked);
  }
  return first;
}

absl::Time EndOf(const BatchTimeline& timeline) {
  absl::Time end = timeline.taken;
  if (TakenAttempt(timeline) != nullptr) return end;
  for (const BatchAttempt& attempt : timeline.attempts) {
    if (attempt.ended != absl::InfiniteFuture()) {
      end = std::max(end, attempt.ended);
    }
  }
  return end;
}

}  // namespace tributary
