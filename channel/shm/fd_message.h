// Bytes and a descriptor over a unix socket.
#ifndef TRIBUTARY_CHANNEL_SHM_FD_MESSAGE_H_
#define TRIBUTARY_CHANNEL_SHM_FD_MESSAGE_H_

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>

#include "absl/types/span.h"
#include "common/io/unique_fd.h"

namespace tributary {

// sendmsg and recvmsg, which never wait and raise no signal: their results and
// errno. The descriptor goes beside the first byte; -1: none.
ssize_t SendWithFd(int socket, absl::Span<iovec> pieces, int fd);
// `*fd` is what came, close-on-exec; untouched where none did.
ssize_t ReceiveWithFd(int socket, void* to, size_t size, UniqueFd* fd);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_FD_MESSAGE_H_
