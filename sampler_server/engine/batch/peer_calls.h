// The requests of one batch to other servers, and how long each took.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PEER_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PEER_CALLS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/runtime/mutex.h"
#include "common/trace/trace_fields.h"

namespace tributary {

// Keeps the longest calls, so its size is bounded, and counts the others.
// Thread-safe: the batch and its calls share it. Times are those of one clock.
class PeerCalls {
 public:
  static constexpr size_t kMost = 16;
  // Of what is kept of a peer's name.
  static constexpr size_t kMaxPeerBytes = 128;

  // `trace_id` goes with each request; empty: the batch is not traced. Offsets
  // count from `start`.
  PeerCalls(std::string trace_id, absl::Time start)
      : trace_id_(std::move(trace_id)), start_(start) {}

  const std::string& trace_id() const { return trace_id_; }

  // Adds a call that took place from `began` to `ended`; `span` says the rest.
  void Add(v1::PeerCallSpan span, absl::Time began, absl::Time ended) {
    span.set_start_us(TraceMicros(began - start_));
    span.set_duration_us(TraceMicros(ended - began));
    if (span.peer().size() > kMaxPeerBytes) {
      span.mutable_peer()->resize(kMaxPeerBytes);
    }
    MutexLock lock(mutex_);
    if (calls_.size() < kMost) return calls_.push_back(std::move(span));
    ++more_;
    const auto shortest = std::min_element(
        calls_.begin(), calls_.end(), [](const auto& a, const auto& b) {
          return a.duration_us() < b.duration_us();
        });
    if (shortest->duration_us() < span.duration_us()) {
      *shortest = std::move(span);
    }
  }

  // Sets the trace's calls, by their start.
  void FillTrace(v1::BatchTrace* trace) const {
    std::vector<v1::PeerCallSpan> calls;
    {
      MutexLock lock(mutex_);
      calls = calls_;
      trace->set_more_calls(more_);
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const auto& a, const auto& b) {
                       return a.start_us() < b.start_us();
                     });
    trace->clear_calls();
    for (v1::PeerCallSpan& call : calls) *trace->add_calls() = std::move(call);
  }

 private:
  const std::string trace_id_;
  const absl::Time start_;
  mutable Mutex mutex_;
  std::vector<v1::PeerCallSpan> calls_ ABSL_GUARDED_BY(mutex_);
  uint32_t more_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PEER_CALLS_H_
