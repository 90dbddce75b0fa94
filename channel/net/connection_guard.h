// Cuts connections that make the network library hold memory or burn time.
#ifndef TRIBUTARY_CHANNEL_NET_CONNECTION_GUARD_H_
#define TRIBUTARY_CHANNEL_NET_CONNECTION_GUARD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "channel/net/connection_use.h"
#include "common/observe/refusal_counter.h"

namespace tributary {

struct ConnectionGuardOptions {
  // Limit of the bytes that connections have sent and that no message accounts
  // for (ReceiveDebt), in all; above it, the host with most of them loses its
  // worst connection. One connection has at most an eighth, and 1 MiB more than
  // 12 MiB for each of its streams: for a tenth of a second, and 4 MiB above
  // that not at all; nor more than 8 MiB since the server last wrote or a
  // message was read, or that it has answered with a quarter of as much. Where
  // there is no stream these are headers, which gRPC keeps in four times the
  // memory, and count so. Over unix sockets nothing is measured.
  uint64_t receive_memory = uint64_t{512} << 20;
  // A connection with a part of a message, and none that is whole, for longer
  // than this is cut.
  absl::Duration message_timeout = absl::Minutes(1);
};

// Looks at all connections every kSlow, and every kQuick at those that are new
// or have sent more than kSmallDebt that nothing accounts for. It asks the
// kernel and the counters of ConnectionUse, so that it depends on no thread of
// the network library. A connection is cut by shutdown(), and what it has sent
// is dropped, so that the library parses no more of it; it is counted in
// `refusals` as "receive_memory", "slow", "hasty" or "hog".
//
// Not thread-safe.
class ConnectionGuard {
 public:
  static constexpr absl::Duration kSlow = absl::Milliseconds(100);
  static constexpr absl::Duration kQuick = absl::Milliseconds(10);

  // `refusals` outlives the guard.
  ConnectionGuard(const ConnectionGuardOptions& options,
                  RefusalCounter* refusals);

  // `fd` is a socket's that stays open until Remove.
  void Add(int fd, const std::string& share, std::shared_ptr<ConnectionUse> use,
           absl::Time now);
  void Remove(int fd);
  void Clear();

  // Looks at the connections whose time has come. Returns the share of each
  // connection that was cut.
  std::vector<std::string> CutOffenders(absl::Time now);
  // Returns how long until there is something to look at, at most kSlow.
  absl::Duration Interval() const { return watched_.empty() ? kSlow : kQuick; }
  // Cuts a connection that keeps a thread from others, unless it was cut
  // before; "hog".
  void CutHog(int fd);

 private:
  struct Guarded {
    std::string share;
    std::shared_ptr<ConnectionUse> use;
    absl::Time added;
    ReceiveDebt debt;
    absl::Time over_since = absl::InfiniteFuture();
    uint64_t counted = 0;  // in total_
    bool cut = false;      // and about to be reported as ended
  };

  void LookAt(int fd, absl::Time now);
  bool HoldsTooMuch(int fd, Guarded& guarded, absl::Time now) const;
  // Sets what a connection counts for in total_.
  void Count(Guarded& guarded, uint64_t bytes);
  void CutWorst();
  void Cut(int fd, const char* reason, const std::string& why);
  std::string WhatIsAllowed(const Guarded& guarded) const;

  const ConnectionGuardOptions options_;
  RefusalCounter* const refusals_;
  std::map<int, Guarded> guarded_;
  std::set<int> watched_;
  uint64_t total_ = 0;
  std::vector<std::string> cut_;  // since the last CutOffenders
  absl::Time next_slow_ = absl::InfinitePast();
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CONNECTION_GUARD_H_
