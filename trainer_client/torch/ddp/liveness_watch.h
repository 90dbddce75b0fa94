// Decides which members of a group have stopped, from counters that they
// increase. No clock and no thread of its own.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LIVENESS_WATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LIVENESS_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tributary {

// The counters of a member. A thread of its own increases `alive`; the work
// that the member is there for increases `progress`.
struct Beats {
  uint64_t alive = 0;
  uint64_t progress = 0;
};

// How long a counter may stay the same.
struct SilenceLimits {
  absl::Duration start = absl::Seconds(120);  // `alive`, until the first beat
  absl::Duration alive = absl::Seconds(12);
  // From the first beat of `progress` on.
  absl::Duration progress = absl::InfiniteDuration();
};

// Watches `members` members. A gap between two calls of Observe() counts as
// kLongestStep at most: if the watching process was itself stopped, its members
// probably were too, and get the time to beat again. Not thread-safe.
class LivenessWatch {
 public:
  static constexpr absl::Duration kLongestStep = absl::Seconds(3);

  LivenessWatch(size_t members, SilenceLimits limits, absl::Time now);

  // Takes the counters of all members as they are at `now`.
  void Observe(absl::Span<const Beats> beats, absl::Time now);

  // Returns why a member counts as frozen; nullopt: it does not.
  std::optional<std::string> FrozenReason(size_t member) const;

 private:
  struct Member {
    Beats last;
    absl::Duration alive_silence;
    absl::Duration progress_silence;
  };

  const SilenceLimits limits_;
  absl::Time observed_at_;
  std::vector<Member> members_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LIVENESS_WATCH_H_
