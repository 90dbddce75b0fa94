// The times of a batch's trace, made safe to compute with and to print.
#ifndef TRIBUTARY_COMMON_TRACE_TRACE_TIMES_H_
#define TRIBUTARY_COMMON_TRACE_TRACE_TIMES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/trace/batch_timeline.h"
#include "common/trace/stage_names.h"

namespace tributary {

// One request to a peer. queue, work, disk and network add up to `duration`.
struct PeerCallTimes {
  std::string peer;  // printable
  const char* call;  // "sample_hop", "gather", "question"; else "call"
  uint32_t partition = 0;
  absl::Duration start, duration;
  absl::Duration queue, work, disk;  // as the peer told
  absl::Duration network;            // the rest
  int code = 0;                      // an absl::StatusCode; 0: answered
  uint64_t reply_bytes = 0;
};

struct StageSpanTimes {
  TimedStage stage;
  absl::Duration start, duration;
};

// The times of one attempt on its server. Offsets count from the arrival of the
// credit; all durations are between 0 and kLongestTraced.
struct ServerTimes {
  std::array<absl::Duration, kNumTimedStages> stages;
  absl::Duration total;               // the sum of the stages
  std::vector<StageSpanTimes> spans;  // in order; at most kMostTraced
  std::vector<PeerCallTimes> calls;   // the longest first; likewise
  uint64_t more_spans = 0;            // that are left out
  uint64_t more_calls = 0;

  absl::Duration of(TimedStage stage) const {
    return stages[static_cast<size_t>(stage)];
  }
};

inline constexpr absl::Duration kLongestTraced = absl::Hours(24 * 30);
inline constexpr size_t kMostTraced = 256;

// Reads what a server, which may lie, has told: cuts the stages at
// kLongestTraced in all, spans and calls at the end of the stages, and a peer's
// times at the duration of their call; drops stages that do not exist and spans
// beyond kMostTraced.
ServerTimes ReadServerTimes(const v1::BatchTrace& trace);

// The same of a server whose attempt took `most` for the trainer: if the
// server's times add up to more, scales its stages down to it, and cuts spans
// and calls there.
ServerTimes ReadServerTimes(const v1::BatchTrace& trace, absl::Duration most);

// Returns end - begin, between 0 and kLongestTraced; 0 if one is infinite.
absl::Duration TracedTime(absl::Time begin, absl::Time end);

// Returns when the credit arrived, by the server's wall clock; at most in the
// year 2096.
absl::Time ArrivalOf(const v1::BatchTrace& trace);

// Returns the attempt whose batch was taken; null if there is none.
const BatchAttempt* TakenAttempt(const BatchTimeline& timeline);
// Returns when the batch was first asked for. An empty timeline: `ready`.
absl::Time FirstAsked(const BatchTimeline& timeline);
// Returns when the timeline ends: when the batch was taken; without a batch,
// when the last of its attempts ended.
absl::Time EndOf(const BatchTimeline& timeline);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_TRACE_TIMES_H_
