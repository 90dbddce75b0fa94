// Sends and receives bytes together with a descriptor over a unix socket.
#ifndef TRIBUTARY_CHANNEL_NET_FD_MESSAGE_H_
#define TRIBUTARY_CHANNEL_NET_FD_MESSAGE_H_

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>

#include "absl/types/span.h"
#include "common/io/unique_fd.h"

namespace tributary {

// As sendmsg and recvmsg: return their results and set errno. They never wait
// and raise no signal.

// Sends `pieces`, with `fd` beside the first byte; -1: no descriptor.
ssize_t SendWithFd(int socket, absl::Span<iovec> pieces, int fd);
// Receives at most `size` bytes. Sets `*fd` to the descriptor that came with
// them, close-on-exec; leaves it unchanged if none came.
ssize_t ReceiveWithFd(int socket, void* to, size_t size, UniqueFd* fd);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_FD_MESSAGE_H_
