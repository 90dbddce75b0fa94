// What peers last told of themselves, while somebody looks at it.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_STATUSES_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_STATUSES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/proto/status.pb.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Peers are asked for their status from the time that somebody looks until
// nobody has for kAskFor; everything is dropped when nobody has for kKeepFor.
// Kept are at most kMaxBytes of a peer and kMaxTotalBytes of all; what exceeds
// that is not kept. Shared by the directories of all graphs of a server, since
// a peer says the same to each. Thread-safe; times are the caller's, of one
// clock.
class PeerStatuses {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 10;
  static constexpr size_t kMaxTotalBytes = size_t{4} << 20;
  static constexpr absl::Duration kAskFor = absl::Seconds(30);
  static constexpr absl::Duration kKeepFor = absl::Seconds(60);
  // A status that is older is not shown.
  static constexpr absl::Duration kFresh = absl::Seconds(10);
  // Within which a peer that is asked for the first time has answered.
  static constexpr absl::Duration kFirstAnswer = absl::Seconds(4);

  // Somebody looks.
  void Look(absl::Time now);
  // Returns whether peers are to be asked. Drops what nobody looks at: call it
  // about once a second.
  bool Wanted(absl::Time now);
  // Keeps the status of a peer, a serialized ServerStatus, in place of the one
  // before. An empty one, or one for which there is no room, drops that one.
  void Set(const std::string& address, std::string status, absl::Time now);
  // Returns the latest status; none if it is not known, not fresh, or not
  // valid.
  std::optional<v1::ServerStatus> Get(const std::string& address,
                                      absl::Time now) const;
  // Returns whether peers have been asked for so long that one without a status
  // tells none.
  bool settled(absl::Time now) const;
  // Returns the bytes that are kept.
  size_t bytes() const;

 private:
  struct Kept {
    std::string status;
    absl::Time at;
  };
  void Drop(const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOld(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  absl::Time looked_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  // Since when peers have been asked without a break.
  absl::Time since_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of kept_, with addresses
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_STATUSES_H_
