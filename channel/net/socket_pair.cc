#include "channel/net/socket_pair.h"

#include <sys/socket.h>

#include <cerrno>

#include "absl/status/status.h"

namespace tributary {

absl::StatusOr<SocketPair> MakeSocketPair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace tributary
