// When what servers have answered is asked again.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_READ_TRIES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_READ_TRIES_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tributary {

// Counts failures in a row. What one server says may be a lie: each try asks
// the next one in turn.
class ReadTries {
 public:
  // See GraphRead.
  uint32_t turn() const { return turn_; }
  void Succeeded() { failures_ = 0; }
  // Returns the pause after which to try again; none: `why` is final.
  std::optional<absl::Duration> Failed(const absl::Status& why) {
    constexpr int kMostFailures = 10;
    constexpr absl::Duration kPause = absl::Milliseconds(50);
    constexpr absl::Duration kLongestPause = absl::Seconds(10);
    if (IsFinal(why) || ++failures_ > kMostFailures) return std::nullopt;
    ++turn_;
    return std::min(kLongestPause, kPause * (1 << failures_));
  }

 private:
  // Whether asking again would bring the same answer.
  static bool IsFinal(const absl::Status& why) {
    return absl::IsPermissionDenied(why) || absl::IsUnauthenticated(why) ||
           absl::IsNotFound(why) || absl::IsUnimplemented(why) ||
           absl::IsCancelled(why);
  }

  uint32_t turn_ = 0;
  int failures_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_READ_TRIES_H_
