// Two connected unix sockets.
#ifndef TRIBUTARY_CHANNEL_NET_SOCKET_PAIR_H_
#define TRIBUTARY_CHANNEL_NET_SOCKET_PAIR_H_

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

struct SocketPair {
  UniqueFd first;
  UniqueFd second;
};

// Returns a pair of sockets without a name in the file system; both are
// close-on-exec. `type`: SOCK_STREAM or SOCK_SEQPACKET. Returns the system's
// error if it grants no descriptors.
absl::StatusOr<SocketPair> MakeSocketPair(int type);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_SOCKET_PAIR_H_
