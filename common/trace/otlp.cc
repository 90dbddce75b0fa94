#include "common/trace/otlp.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/fit_text.h"
#include "common/trace/bottleneck.h"
#include "common/trace/explain.h"
#include "common/trace/span_list.h"
#include "common/trace/trace_times.h"

namespace tributary {
namespace {

constexpr char kSampler[] = "tributary-sampler";
constexpr char kTrainer[] = "tributary-trainer";
constexpr char kBatchPath[] = "batch";

// What an id is derived from where there is no trace id.
std::string NameOf(const std::string& job, const std::string& session,
                   uint64_t epoch, uint64_t index) {
  return absl::StrCat(session, "/", epoch, "/", index, "/", job);
}

void NameBatch(const std::string& job, uint64_t epoch, uint64_t index,
               SpanAttributes& attributes) {
  attributes.Add("tributary.job", job);
  attributes.Add("tributary.epoch", epoch);
  attributes.Add("tributary.index", index);
}

// Adds the spans of one attempt on its server, and of the peers that it asked.
class ServerSpans {
 public:
  // The times count from `begin`. `path` is the server's span.
  ServerSpans(const std::string& server, const std::string& path,
              absl::Time begin, SpanList& list)
      : source_{kSampler, FitText(server, 256)},
        path_(path),
        begin_(begin),
        list_(list) {}

  void Add(const v1::BatchTrace& trace, const ServerTimes& times,
           const std::string& parent) {
    SpanList::Span span;
    span.path = path_;
    span.parent = parent;
    span.name = "make batch";
    span.kind = SpanKind::kServer;
    span.start = begin_;
    span.duration = times.total;
    NameBatch(trace.job(), trace.epoch(), trace.index(), span.attributes);
    AddFigures(trace, times, span.attributes);
    if (trace.outcome() == v1::BatchTrace::OUTCOME_FAILED) {
      span.status = absl::UnknownError(trace.error());
    }
    list_.Add(source_, span);
    for (size_t i = 0; i < times.spans.size(); ++i) {
      const StageSpanTimes& stage = times.spans[i];
      AddChild(path_, absl::StrCat("stage/", i), TimedStageName(stage.stage),
               stage.start, stage.duration, source_);
    }
    for (size_t i = 0; i < times.calls.size(); ++i) AddCall(times.calls[i], i);
  }

 private:
  static void AddFigures(const v1::BatchTrace& trace, const ServerTimes& times,
                         SpanAttributes& attributes) {
    for (size_t i = 0; i < kNumTimedStages; ++i) {
      const std::string key = absl::StrCat(
          "tributary.", TimedStageName(static_cast<TimedStage>(i)), "_us");
      attributes.Add(
          key.c_str(),
          static_cast<uint64_t>(absl::ToInt64Microseconds(times.stages[i])));
    }
    attributes.Add("tributary.queued", uint64_t{trace.queued()});
    attributes.Add("tributary.queued_of_job", uint64_t{trace.queued_of_job()});
    attributes.Add("tributary.inputs", trace.inputs());
    attributes.Add("tributary.bytes", trace.bytes());
    attributes.Add("tributary.cpu_us", trace.cpu_us());
    attributes.Add("tributary.more_spans", times.more_spans);
    attributes.Add("tributary.more_calls", times.more_calls);
  }

  void AddChild(const std::string& parent, const std::string& name_in_path,
                const char* name, absl::Duration start, absl::Duration duration,
                const SpanSource& source) {
    SpanList::Span span;
    span.path = absl::StrCat(parent, "/", name_in_path);
    span.parent = parent;
    span.name = name;
    span.start = begin_ + start;
    span.duration = duration;
    list_.Add(source, span);
  }

  void AddCall(const PeerCallTimes& call, size_t number) {
    SpanList::Span span;
    span.path = absl::StrCat(path_, "/call/", number);
    span.parent = path_;
    span.name = call.call;
    span.kind = SpanKind::kClient;
    span.start = begin_ + call.start;
    span.duration = call.duration;
    span.attributes.Add("tributary.peer", call.peer);
    span.attributes.Add("tributary.partition", uint64_t{call.partition});
    span.attributes.Add("tributary.reply_bytes", call.reply_bytes);
    if (call.code != 0) {
      span.status = absl::Status(static_cast<absl::StatusCode>(call.code), "");
    }
    list_.Add(source_, span);
    AddPeer(call, span);
  }

  void AddPeer(const PeerCallTimes& call, const SpanList::Span& client) {
    const absl::Duration at_peer = call.queue + call.work + call.disk;
    if (at_peer <= absl::ZeroDuration()) return;
    const SpanSource peer{kSampler, call.peer};
    SpanList::Span span;
    span.path = absl::StrCat(client.path, "/peer");
    span.parent = client.path;
    span.name = call.call;
    span.kind = SpanKind::kServer;
    absl::Duration at = call.start + call.network / 2;
    span.start = begin_ + at;
    span.duration = at_peer;
    span.attributes.Add("tributary.partition", uint64_t{call.partition});
    list_.Add(peer, span);
    const std::pair<const char*, absl::Duration> parts[] = {
        {"queue", call.queue}, {"work", call.work}, {"disk", call.disk}};
    for (const auto& [name, time] : parts) {
      if (time <= absl::ZeroDuration()) continue;
      AddChild(span.path, name, name, at, time, peer);
      at += time;
    }
  }

  const SpanSource source_;
  const std::string path_;
  const absl::Time begin_;
  SpanList& list_;
};

// When an attempt ends for who looks at the whole batch.
absl::Time AttemptEnd(const BatchTimeline& timeline,
                      const BatchAttempt& attempt) {
  if (&attempt == TakenAttempt(timeline)) return timeline.ready;
  if (attempt.ended != absl::InfiniteFuture()) return attempt.ended;
  return EndOf(timeline);
}

void AddAttempt(const BatchTimeline& timeline, size_t number,
                const SpanSource& trainer, SpanList& list) {
  const BatchAttempt& attempt = timeline.attempts[number];
  SpanList::Span span;
  span.path = absl::StrCat("attempt/", number);
  span.parent = kBatchPath;
  span.name = "attempt";
  span.kind = SpanKind::kClient;
  span.start = attempt.asked;
  span.duration = TracedTime(attempt.asked, AttemptEnd(timeline, attempt));
  span.attributes.Add("tributary.server", attempt.server);
  span.attributes.Add("tributary.answered",
                      attempt.ended != absl::InfiniteFuture());
  span.status = attempt.status;
  list.Add(trainer, span);
  if (!attempt.trace.has_value()) return;
  const ServerTimes times = ReadServerTimes(*attempt.trace, span.duration);
  const absl::Time begin = attempt.asked + (span.duration - times.total) / 2;
  ServerSpans(attempt.server, span.path + "/server", begin, list)
      .Add(*attempt.trace, times, span.path);
}

}  // namespace

std::string OtlpLine(const BatchTimeline& timeline) {
  const std::string session(timeline.key.session.begin(),
                            timeline.key.session.end());
  SpanList list(
      timeline.trace_id,
      NameOf(timeline.job, session, timeline.key.epoch, timeline.key.index));
  const SpanSource trainer{kTrainer, ""};
  SpanList::Span span;
  span.path = kBatchPath;
  span.name = "batch";
  span.start = FirstAsked(timeline);
  span.duration = TracedTime(span.start, EndOf(timeline));
  NameBatch(timeline.job, timeline.key.epoch, timeline.key.index,
            span.attributes);
  span.attributes.Add("tributary.bytes", timeline.bytes);
  span.attributes.Add("tributary.left_out_bytes", timeline.left_out_bytes);
  span.attributes.Add("tributary.more_attempts",
                      uint64_t{timeline.more_attempts});
  span.attributes.Add(
      "tributary.bottleneck",
      std::string(BottleneckName(FindBottleneck(timeline).bottleneck)));
  span.attributes.Add("tributary.explanation", Explanation(timeline));
  const bool taken = TakenAttempt(timeline) != nullptr;
  if (!taken && !timeline.attempts.empty()) {
    span.status = timeline.attempts.back().status;
  }
  list.Add(trainer, span);
  for (size_t i = 0; i < timeline.attempts.size(); ++i) {
    AddAttempt(timeline, i, trainer, list);
  }
  if (taken) {
    SpanList::Span ring;
    ring.path = "ring";
    ring.parent = kBatchPath;
    ring.name = "wait in ring";
    ring.start = timeline.ready;
    ring.duration = TracedTime(timeline.ready, timeline.taken);
    ring.attributes.Add(
        "tributary.behind_us",
        static_cast<uint64_t>(absl::ToInt64Microseconds(
            std::clamp(timeline.behind, absl::ZeroDuration(), ring.duration))));
    list.Add(trainer, ring);
  }
  return list.ToLine();
}

std::string OtlpLine(const std::string& server, const v1::BatchTrace& trace) {
  SpanList list(trace.trace_id(), NameOf(trace.job(), trace.session(),
                                         trace.epoch(), trace.index()));
  ServerSpans(server,
              absl::StrCat("server/", server, "/", trace.arrived_unix_us()),
              ArrivalOf(trace), list)
      .Add(trace, ReadServerTimes(trace), "");
  return list.ToLine();
}

}  // namespace tributary
