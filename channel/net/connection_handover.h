// Passes accepted connections on to whoever speaks on them.
#ifndef TRIBUTARY_CHANNEL_NET_CONNECTION_HANDOVER_H_
#define TRIBUTARY_CHANNEL_NET_CONNECTION_HANDOVER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "channel/net/newcomer_turns.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// gRPC parses what a newcomer sends on the thread that passes it on, for as
// long as more arrives. So that happens on kLanes threads of this class, in
// NewcomerTurns, and Hog names who keeps the last free one for too long.
//
// Owns the threads. Thread-safe, but for the destructor.
class ConnectionHandover {
 public:
  static constexpr size_t kLanes = 4;
  static constexpr absl::Duration kLongest = absl::Milliseconds(250);

  // Calls `pass_on` on the lanes; each lane has one call at a time. It returns
  // once the connection sends nothing for a moment, or is shut down.
  using PassOn = std::function<void(UniqueFd fd, size_t lane)>;
  explicit ConnectionHandover(PassOn pass_on);
  // Closes what waits, and joins the threads: the connections that are being
  // passed on must end, as Stop brings about.
  ~ConnectionHandover() { End(); }
  ConnectionHandover(const ConnectionHandover&) = delete;
  ConnectionHandover& operator=(const ConnectionHandover&) = delete;

  void Add(NewcomerTurns::Newcomer newcomer);
  void Remove(const std::string& share, uint64_t id);
  void Punish(const std::string& share);

  // Returns the connection that has kept its lane for longest, and for longer
  // than kLongest, while others wait and no lane is free: it should be shut
  // down. Names one at most each kLongest / 4.
  std::optional<uint64_t> Hog();
  // Passes nothing on any more, and returns the connections that are still
  // being passed on after `patience`: they must be shut down.
  std::vector<uint64_t> Stop(absl::Duration patience);

 private:
  struct Lane {
    std::optional<uint64_t> id;  // of the connection that is passed on
    absl::Time since;
    std::thread thread;
  };

  void End();
  void Run(size_t lane);
  // Returns nullopt when the threads shall end.
  std::optional<NewcomerTurns::Newcomer> Take(size_t lane);
  std::vector<uint64_t> Busy() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PassOn pass_on_;
  Mutex mutex_;
  CondVar changed_;
  NewcomerTurns turns_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time named_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::array<Lane, kLanes> lanes_;  // but for their threads, by mutex_
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CONNECTION_HANDOVER_H_
