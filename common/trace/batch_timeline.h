// The time of one batch, as its trainer knows it.
#ifndef TRIBUTARY_COMMON_TRACE_BATCH_TIMELINE_H_
#define TRIBUTARY_COMMON_TRACE_BATCH_TIMELINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/batch/batch_key.h"
#include "common/proto/trace.pb.h"

namespace tributary {

// One request for a batch to one server. Times are those of BatchTimeline.
struct BatchAttempt {
  std::string server;  // HOST:PORT
  absl::Time asked;
  absl::Time ended = absl::InfiniteFuture();  // the latter: it has no answer
  absl::Status status;  // why it brought no batch; OK: it did, or no answer yet
  // The server's own record; none from an older one, and without an answer.
  std::optional<v1::BatchTrace> trace;
};

// A batch from being asked for to being taken by its user. All times are by
// the trainer's clock, shifted by a constant so that they are Unix times.
//
//   first asked -> ready -> taken
//
// From ready to taken the batch waited in the receive ring for its user: long
// if the trainer is busy, zero if the trainer waited for it.
struct BatchTimeline {
  BatchKey key;
  std::string job;
  std::string trace_id;                // 16 bytes
  std::vector<BatchAttempt> attempts;  // in the order asked; the latest kMost
  uint32_t more_attempts = 0;          // older ones that were left out
  absl::Time ready;
  absl::Time taken;
  // Between ready and taken, how long the user waited for batches before this
  // one, which are delivered first: then the trainer was not busy.
  absl::Duration behind;
  uint64_t bytes = 0;           // of the batch, as its user has it
  uint64_t left_out_bytes = 0;  // of them, that did not travel
  static constexpr size_t kMost = 16;
};

// Receives the timelines of batches. May be empty.
using TracedObserver = std::function<void(const BatchTimeline&)>;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_BATCH_TIMELINE_H_
