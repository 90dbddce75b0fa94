// Whether the other end of a connection still lives.
#ifndef TRIBUTARY_CHANNEL_TCP_SIGNS_OF_LIFE_H_
#define TRIBUTARY_CHANNEL_TCP_SIGNS_OF_LIFE_H_

#include "absl/time/time.h"
#include "channel/network.h"

namespace tributary {

// An end that has been silent for keepalive_time is asked for a sign of life,
// and is lost if none comes within keepalive_timeout. Not thread-safe.
class SignsOfLife {
 public:
  enum class Due { kNothing, kAsk, kLost };

  SignsOfLife(const ConnectionOptions& options, absl::Time now)
      : options_(options), last_(now) {}

  // Bytes were read, or written and taken.
  void Seen(absl::Time now) { last_ = now; }
  absl::Duration SilentFor(absl::Time now) const { return now - last_; }
  // Returns what is due; kAsk once for each silence.
  Due At(absl::Time now) {
    if (SilentFor(now) < options_.keepalive_time) return Due::kNothing;
    if (asked_ <= last_) {
      asked_ = now;
      return Due::kAsk;
    }
    return now - asked_ < options_.keepalive_timeout ? Due::kNothing
                                                     : Due::kLost;
  }

 private:
  ConnectionOptions options_;
  absl::Time last_;
  absl::Time asked_ = absl::InfinitePast();
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_SIGNS_OF_LIFE_H_
