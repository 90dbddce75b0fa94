// The connections that wait to be passed on, in turns of their hosts.
#ifndef TRIBUTARY_CHANNEL_NET_NEWCOMER_TURNS_H_
#define TRIBUTARY_CHANNEL_NET_NEWCOMER_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Takes one connection of each host in turn. A host of which a connection was
// cut waits before its next one is taken, and then between one and another:
// kFirstWait, doubled at each further cut up to kLongestWait, until kForgiven
// has passed without one. So a host that connects again and again costs a
// bounded part of the server's time, while others do not wait.
//
// Whoever adds bounds how many there are. Time is passed in. Not thread-safe.
class NewcomerTurns {
 public:
  struct Newcomer {
    uint64_t id = 0;
    std::string share;  // its host, for one
    UniqueFd fd;
    absl::Time added = absl::InfiniteFuture();
  };
  static constexpr absl::Duration kFirstWait = absl::Milliseconds(100);
  static constexpr absl::Duration kLongestWait = absl::Seconds(1);
  static constexpr absl::Duration kForgiven = absl::Seconds(10);
  // Who has waited for so long is shut down: its place is for others.
  static constexpr absl::Duration kLongestInLine = absl::Seconds(10);
  // Limit of the hosts that are remembered; of more, the oldest are forgotten.
  static constexpr size_t kMostOffenders = 4096;

  void Add(Newcomer newcomer);
  // Closes a connection if it still waits.
  void Remove(const std::string& share, uint64_t id);
  void Clear() { waiting_.clear(); }
  // Returns the next connection that may be passed on now.
  std::optional<Newcomer> Next(absl::Time now);
  // Returns when Next will return something; InfiniteFuture where none waits.
  absl::Time NextTime() const;
  // Notes that a connection of `share` was cut.
  void Punish(const std::string& share, absl::Time now);

 private:
  struct Offender {
    absl::Duration wait;
    absl::Time last;  // cut
    absl::Time until;
  };

  absl::Time AllowedAt(const std::string& share) const;
  void Forgive(absl::Time now);

  std::map<std::string, std::deque<Newcomer>> waiting_;  // none is empty
  std::map<std::string, Offender> offenders_;
  std::string last_;  // whose turn it was
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_NEWCOMER_TURNS_H_
