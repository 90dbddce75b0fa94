#include "trainer_client/torch/testing/held_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tributary {

HeldPort::HeldPort() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  // Set before bind(): both sockets of a port need it, and neither listens yet.
  const int yes = 1;
  EXPECT_EQ(setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(fd_, generic, size), 0);
  EXPECT_EQ(getsockname(fd_, generic, &size), 0);
  number_ = ntohs(address.sin_port);
}

HeldPort::~HeldPort() { close(fd_); }

}  // namespace tributary
