#include "sampler_server/service/grants/stage_times.h"

#include "common/trace/trace_fields.h"

namespace tributary {

void StageTimes::AddSpan(const Span& span, v1::BatchTrace* trace) const {
  v1::StageSpan* added = trace->add_spans();
  added->set_stage(static_cast<uint32_t>(span.stage));
  added->set_start_us(TraceMicros(span.from - start_));
  added->set_duration_us(TraceMicros(span.to - span.from));
}

void StageTimes::FillTrace(v1::BatchTrace* trace) const {
  trace->clear_stage_us();
  trace->clear_spans();
  for (const absl::Duration time : Times())
    trace->add_stage_us(TraceMicros(time));
  MutexLock lock(mutex_);
  for (const Span& span : spans_) AddSpan(span, trace);
  trace->set_more_spans(more_spans_);
  if (more_spans_ == 0) AddSpan({timed_, entered_, clock_->Now()}, trace);
}

}  // namespace tributary
