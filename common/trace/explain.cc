#include "common/trace/explain.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/fit_text.h"
#include "common/trace/advice.h"
#include "common/trace/trace_times.h"

namespace tributary {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kMostCalls = 8;
constexpr int kBar = 20;  // columns of a share of 1

using Lines = std::vector<std::string>;

void Add(Lines& lines, const std::string& line) {
  lines.push_back(FitText(line, kColumns));
}

double ShareOf(absl::Duration part, absl::Duration total) {
  if (total <= absl::ZeroDuration()) return 0;
  return std::clamp(absl::FDivDuration(part, total), 0.0, 1.0);
}

// A row of the table of stages; `note` stands behind the bar.
void AddShare(Lines& lines, const char* name, absl::Duration time,
              absl::Duration total, const std::string& note = "") {
  const double share = ShareOf(time, total);
  const std::string bar(static_cast<size_t>(share * kBar + 0.5), '#');
  std::string line = absl::StrFormat("  %-14s %9s %5.0f %%  %-20s %s", name,
                                     Millis(time), share * 100, bar, note);
  line.resize(line.find_last_not_of(' ') + 1);
  Add(lines, line);
}

std::string QueueNote(const v1::BatchTrace& trace) {
  if (trace.queued() == 0) return "";
  return absl::StrCat("behind ", trace.queued(), " batches, ",
                      trace.queued_of_job(), " of this job");
}

void AddStages(Lines& lines, const v1::BatchTrace& trace,
               const ServerTimes& times, absl::Duration total) {
  Add(lines, absl::StrFormat("  %-14s %9s %7s", "stage", "ms", "share"));
  for (size_t i = 0; i < kNumTimedStages; ++i) {
    const TimedStage stage = static_cast<TimedStage>(i);
    AddShare(lines, TimedStageName(stage), times.of(stage), total,
             stage == TimedStage::kQueue ? QueueNote(trace) : "");
  }
}

std::string CodeName(int code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

void AddCalls(Lines& lines, const ServerTimes& times) {
  if (times.calls.empty()) return;
  Add(lines, absl::StrFormat("  %-28s %-10s %4s %9s %8s %8s %8s %8s",
                             "peer (longest calls first)", "call", "part", "ms",
                             "queue", "work", "disk", "network"));
  const size_t shown = std::min(times.calls.size(), kMostCalls);
  for (size_t i = 0; i < shown; ++i) {
    const PeerCallTimes& call = times.calls[i];
    Add(lines, absl::StrFormat("  %-28s %-10s %4u %9s %8s %8s %8s %8s",
                               FitText(call.peer, 28), call.call,
                               call.partition, Millis(call.duration),
                               Millis(call.queue), Millis(call.work),
                               Millis(call.disk), Millis(call.network)));
    if (call.code != 0) {
      Add(lines, absl::StrCat("    failed: ", CodeName(call.code)));
    }
  }
  const uint64_t more = times.calls.size() - shown + times.more_calls;
  if (more > 0) Add(lines, absl::StrCat("  and ", more, " shorter ones"));
}

std::string OutcomeOf(const v1::BatchTrace& trace) {
  switch (trace.outcome()) {
    case v1::BatchTrace::OUTCOME_SENT:
      return "sent";
    case v1::BatchTrace::OUTCOME_NEEDS:
      return "larger than the room that was reserved";
    case v1::BatchTrace::OUTCOME_FAILED:
      return absl::StrCat("failed: ", FitText(trace.error(), 256));
    case v1::BatchTrace::OUTCOME_CANCELLED:
      return "cancelled by the trainer";
    default:
      return "under way";
  }
}

std::string OutcomeOf(const BatchAttempt& attempt, bool taken) {
  if (taken) return "made";
  if (attempt.trace.has_value() &&
      attempt.trace->outcome() == v1::BatchTrace::OUTCOME_NEEDS) {
    return OutcomeOf(*attempt.trace);
  }
  if (!attempt.status.ok()) return FitText(attempt.status.ToString(), 256);
  return attempt.ended == absl::InfiniteFuture() ? "no answer" : "not needed";
}

std::string BatchName(uint64_t epoch, uint64_t index, const std::string& job) {
  return absl::StrCat("batch ", epoch, "/", index, " of job ",
                      FitText(job, 40));
}

std::string MostOfIt(const Finding& finding) {
  return absl::StrCat("Most of it: ", Millis(finding.most), " of ",
                      Millis(finding.total), " ms ");
}

void AddAttempt(Lines& lines, size_t number, const BatchTimeline& timeline,
                const BatchAttempt& attempt, absl::Duration total) {
  const BatchAttempt* taken = TakenAttempt(timeline);
  const bool was_taken = &attempt == taken;
  const absl::Time end = was_taken ? timeline.ready : attempt.ended;
  const absl::Duration took = TracedTime(
      attempt.asked, end == absl::InfiniteFuture() ? EndOf(timeline) : end);
  Add(lines,
      absl::StrCat(
          "attempt ", number, ": ", FitText(attempt.server, 40), ", asked at ",
          Millis(TracedTime(FirstAsked(timeline), attempt.asked)), " ms, ",
          Millis(took), " ms, ", OutcomeOf(attempt, was_taken)));
  if (!attempt.trace.has_value()) return;
  const ServerTimes times = ReadServerTimes(*attempt.trace, took);
  AddStages(lines, *attempt.trace, times, total);
  if (was_taken) {
    AddShare(lines, "network", NetworkTime(timeline, attempt, times), total,
             "between server and trainer, and copying");
  }
  AddCalls(lines, times);
}

// Says why the attempts before the one that brought the batch did not.
std::string Retried(const BatchTimeline& timeline) {
  const BatchAttempt* taken = TakenAttempt(timeline);
  for (const BatchAttempt& attempt : timeline.attempts) {
    if (&attempt == taken) continue;
    const std::string server = FitText(attempt.server, 256);
    const std::string then =
        absl::StrCat(", until ", FitText(taken->server, 256), " was asked");
    if (attempt.trace.has_value() &&
        attempt.trace->outcome() == v1::BatchTrace::OUTCOME_NEEDS) {
      return absl::StrCat("at ", server,
                          ", where it was larger than the room that was "
                          "reserved for it",
                          then, " with enough");
    }
    // The latter: it was told to stop, as another one was asked.
    if (attempt.status.ok() || absl::IsCancelled(attempt.status)) {
      return absl::StrCat("waiting for ", server, ", which was late", then,
                          ": that server is slow, overloaded or lost");
    }
    return absl::StrCat("at ", server, then, ": ",
                        FitText(attempt.status.ToString(), 256));
  }
  return "at attempts that are not kept";
}

}  // namespace

std::string Explanation(const BatchTimeline& timeline) {
  const Finding finding = FindBottleneck(timeline);
  if (finding.bottleneck == Bottleneck::kFailed) {
    const absl::Status status = timeline.attempts.empty()
                                    ? absl::OkStatus()
                                    : timeline.attempts.back().status;
    return absl::StrCat("No server made it in ", Millis(finding.total), " ms",
                        finding.server.empty() ? "" : ", the last was ",
                        finding.server, status.ok() ? "" : ": ",
                        status.ok() ? "" : FitText(status.ToString(), 256));
  }
  if (finding.bottleneck == Bottleneck::kRetried) {
    return MostOfIt(finding) + Retried(timeline);
  }
  const BatchAttempt* taken = TakenAttempt(timeline);
  return MostOfIt(finding) +
         AdviceOf(finding, taken->trace.has_value() ? &*taken->trace : nullptr);
}

std::string Explanation(const std::string& server,
                        const v1::BatchTrace& trace) {
  const Finding finding = FindBottleneck(server, trace);
  if (finding.bottleneck == Bottleneck::kFailed) {
    return absl::StrCat("It failed after ", Millis(finding.total),
                        " ms: ", FitText(trace.error(), 256));
  }
  if (finding.total <= absl::ZeroDuration()) {
    return "There are no times of it yet";
  }
  return MostOfIt(finding) + AdviceOf(finding, &trace);
}

std::vector<std::string> ExplainTimeline(const BatchTimeline& timeline) {
  Lines lines;
  const absl::Duration total =
      TracedTime(FirstAsked(timeline), EndOf(timeline));
  Add(lines,
      absl::StrCat(
          BatchName(timeline.key.epoch, timeline.key.index, timeline.job), ": ",
          Millis(total), " ms, ", timeline.bytes, " bytes, trace ",
          absl::BytesToHexString(timeline.trace_id)));
  if (timeline.more_attempts > 0) {
    Add(lines, absl::StrCat(timeline.more_attempts, " attempts before these"));
  }
  for (size_t i = 0; i < timeline.attempts.size(); ++i) {
    AddAttempt(lines, timeline.more_attempts + i + 1, timeline,
               timeline.attempts[i], total);
  }
  if (TakenAttempt(timeline) != nullptr) {
    const absl::Duration in_ring = TracedTime(timeline.ready, timeline.taken);
    const absl::Duration behind =
        std::clamp(timeline.behind, absl::ZeroDuration(), in_ring);
    Add(lines, absl::StrCat("ready: ", Millis(in_ring),
                            " ms until the trainer took it, ", Millis(behind),
                            " ms of them behind earlier batches"));
  }
  lines.push_back(Explanation(timeline));
  return lines;
}

std::vector<std::string> ExplainTrace(const std::string& server,
                                      const v1::BatchTrace& trace) {
  Lines lines;
  const ServerTimes times = ReadServerTimes(trace);
  Add(lines,
      absl::StrCat(FitText(server, 40), ": ",
                   BatchName(trace.epoch(), trace.index(), trace.job()), ", ",
                   Millis(times.total), " ms, ", trace.bytes(), " bytes"));
  Add(lines,
      absl::StrCat("  arrived ",
                   absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", ArrivalOf(trace),
                                    absl::UTCTimeZone()),
                   ", ", OutcomeOf(trace)));
  AddStages(lines, trace, times, times.total);
  AddCalls(lines, times);
  lines.push_back(Explanation(server, trace));
  return lines;
}

}  // namespace tributary
