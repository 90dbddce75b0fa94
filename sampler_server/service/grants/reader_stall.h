// Detects a trainer that takes no frames while others wait for memory.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_READER_STALL_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_READER_STALL_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace tributary {

// A batch that nobody reads keeps its memory. A stream is stalled when it had
// something to take and took nothing for kPatience, and a batch of any stream
// has waited for memory for kWanted, which is longer than until the next batch
// is ready. A stalled stream is closed, which frees what it held; its loader
// connects and asks again once it reads. A pure state machine that is polled;
// not thread-safe.
class ReaderStall {
 public:
  static constexpr absl::Duration kPatience = absl::Seconds(2);
  static constexpr absl::Duration kWanted = absl::Milliseconds(100);

  explicit ReaderStall(absl::Time now) : last_taken_(now) {}

  // The first batch is handed over to a stream that had none to send.
  void BeginSending(absl::Time now) { last_taken_ = now; }

  // `frames_taken`: by the network so far. `memory_wanted_since`: when the wait
  // of the batch that waits for memory began; InfiniteFuture if none waits.
  // Returns for how long nothing was taken, if the stream is stalled.
  std::optional<absl::Duration> Poll(absl::Time now, bool sending,
                                     uint64_t frames_taken,
                                     absl::Time memory_wanted_since) {
    if (!sending || frames_taken != frames_taken_) last_taken_ = now;
    frames_taken_ = frames_taken;
    const absl::Duration idle = now - last_taken_;
    if (idle < kPatience || now - memory_wanted_since < kWanted) {
      return std::nullopt;
    }
    return idle;
  }

 private:
  uint64_t frames_taken_ = 0;  // at the last Poll
  absl::Time last_taken_;      // or had nothing to take
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_READER_STALL_H_
