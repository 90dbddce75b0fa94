// Decides when the streams of an old connection close.
#ifndef TRIBUTARY_CHANNEL_NET_CONNECTION_AGES_H_
#define TRIBUTARY_CHANNEL_NET_CONNECTION_AGES_H_

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "absl/random/random.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The longest age of a connection, after which its certificate is asked for
// again. The steps, each before the next, with gRPC's jitter of a tenth:
//
//   at notice_age()    the client is told to open new streams elsewhere
//   age + jitter       the streams that are left close in an orderly way, at
//                      another time for each connection
//   age + grace        and more, for that to be done: what is left is cut,
//                      cut_grace() after the notice
struct ConnectionAgeLimits {
  absl::Duration age = absl::Hours(1);
  absl::Duration grace = absl::Minutes(5);

  absl::Duration notice_age() const { return age / 1.2; }
  absl::Duration cut_grace() const {
    return age / 4 + grace + absl::Seconds(10);
  }
};

// Remembers since when each connection has had streams. Thread-safe.
class ConnectionAges {
 public:
  explicit ConnectionAges(ConnectionAgeLimits limits) : limits_(limits) {}

  // Returns when the streams of the connection from `peer` close: the same time
  // for all of them. `peer` is the other end's address with its port. Forgets a
  // connection once that time has passed, so that its port may be used again,
  // and the oldest beyond kMaxConnections: then streams may be cut.
  absl::Time EndOf(const std::string& peer, absl::Time now);

  static constexpr size_t kMaxConnections = 65536;

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ConnectionAgeLimits limits_;
  Mutex mutex_;
  absl::BitGen random_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Time> ends_ ABSL_GUARDED_BY(mutex_);
  // In the order of their first streams.
  std::deque<std::pair<std::string, absl::Time>> order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CONNECTION_AGES_H_
