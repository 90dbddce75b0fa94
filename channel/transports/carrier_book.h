// Decides what carries the streams to each server.
#ifndef TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_BOOK_H_
#define TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/network.h"
#include "channel/transport.h"
#include "common/fleet/address.h"

namespace tributary {

// Knows which servers take streams over TCP, from what they say of themselves
// (DescribeReply), and to which of them such streams do not get through: a
// proxy or a mesh between the two may pass HTTP/2 alone. Streams to these go
// over gRPC for a while, a longer one each time. Not thread-safe.
class CarrierBook {
 public:
  // `carrier`: the user's choice.
  explicit CarrierBook(Carrier carrier) : carrier_(carrier) {}

  // Notes what the server says, in place of what was known. A server that has
  // started anew is tried anew: it may have died before its first message.
  void NoteTakesTcp(const Address& address, uint64_t incarnation, bool takes);
  // Returns whether a new stream goes over TCP, else over gRPC.
  bool ChoosesTcp(const Address& address, StreamMethod method,
                  absl::Time now) const;

  // The end of a stream.
  struct End {
    bool tcp = false;    // what carried it
    bool heard = false;  // a message of the server had arrived
    absl::Status why;
  };
  // Returns what the user should read in a log; mostly empty.
  std::string NoteEnd(const Address& address, const End& end, absl::Time now);

  // Whether the server is known not to take streams over TCP.
  bool RefusesTcp(const Address& address) const;

  static constexpr absl::Duration kFirstPause = absl::Minutes(1);
  static constexpr absl::Duration kLongestPause = absl::Hours(1);
  // The most servers of which something is known; then the one that was heard
  // of first is forgotten. Pods have new addresses each time.
  static constexpr size_t kMaxServers = 16384;

 private:
  struct Server {
    bool takes_tcp = false;
    uint64_t incarnation = 0;
    absl::Time paused_until = absl::InfinitePast();
    absl::Duration next_pause = kFirstPause;
    uint64_t number = 0;  // in the order of first notes
  };
  void ForgetTheFirst();

  const Carrier carrier_;
  uint64_t next_number_ = 0;
  std::map<Address, Server> servers_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_BOOK_H_
