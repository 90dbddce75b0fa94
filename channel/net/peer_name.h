// The name of the other end of an accepted socket.
#ifndef TRIBUTARY_CHANNEL_NET_PEER_NAME_H_
#define TRIBUTARY_CHANNEL_NET_PEER_NAME_H_

#include <string>

namespace tributary {

// Returns it as gRPC writes it: ipv4:10.0.0.7:41234, also for a mapped address;
// ipv6:[2001:db8::7]:41234; "unix:" for a unix socket.
std::string PeerNameOf(int fd);

// Returns true for a TCP socket whose other end is on this machine's loopback.
bool IsLoopbackSocket(int fd);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_PEER_NAME_H_
