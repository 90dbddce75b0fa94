// Counts what a server has refused, by reason, and logs it.
#ifndef TRIBUTARY_COMMON_OBSERVE_REFUSAL_COUNTER_H_
#define TRIBUTARY_COMMON_OBSERVE_REFUSAL_COUNTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Shared by whoever refuses: the acceptor of connections, TLS handshakes, the
// limits of streams. Thread-safe.
class RefusalCounter {
 public:
  // `what` is refused: "connection" or "stream"; log lines use it.
  explicit RefusalCounter(std::string what) : what_(std::move(what)) {}

  // Counts one refusal. `reason` is a label of a metric and one of few words
  // of the program, such as "too_many"; never text of the other end. Logs a
  // warning with `text`, which names the other end and what is allowed: one
  // line per reason and 10 s, which tells how many were left out.
  void Add(absl::string_view reason, absl::string_view text);
  // Counts one and logs nothing.
  void Count(absl::string_view reason);

  // Returns the refusals so far, by reason.
  std::map<std::string, uint64_t> counts() const;
  uint64_t count(const std::string& reason) const;

 private:
  const std::string what_;
  mutable Mutex mutex_;
  std::map<std::string, uint64_t> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_REFUSAL_COUNTER_H_
