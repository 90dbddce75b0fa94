#include "channel/net/fd_message.h"

#include <sys/socket.h>

#include <cstring>

namespace tributary {
namespace {

// Space for the control message of one descriptor.
struct FdSpace {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))] = {};
};

msghdr MessageOf(absl::Span<iovec> pieces) {
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  return message;
}

}  // namespace

ssize_t SendWithFd(int socket, absl::Span<iovec> pieces, int fd) {
  msghdr message = MessageOf(pieces);
  FdSpace space;
  if (fd >= 0) {
    message.msg_control = space.bytes;
    message.msg_controllen = sizeof(space.bytes);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t ReceiveWithFd(int socket, void* to, size_t size, UniqueFd* fd) {
  iovec piece = {to, size};
  msghdr message = MessageOf({&piece, 1});
  FdSpace space;
  message.msg_control = space.bytes;
  message.msg_controllen = sizeof(space.bytes);
  const ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0) return n;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int received = -1;
    std::memcpy(&received, CMSG_DATA(header), sizeof(received));
    *fd = UniqueFd(received);
  }
  return n;
}

}  // namespace tributary
