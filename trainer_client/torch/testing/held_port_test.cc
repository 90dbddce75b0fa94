#include "trainer_client/torch/testing/held_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "trainer_client/torch/ddp/listen_socket.h"

namespace tributary {
namespace {

// Binds a new socket to `port` of 127.0.0.1; returns 0 or the errno.
int TryBind(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int bound =
      bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  const int error = bound == 0 ? 0 : errno;
  close(fd);
  return error;
}

TEST(HeldPortTest, NobodyElseIsGivenIt) {
  uint16_t number = 0;
  {
    const HeldPort held;
    number = held.number();
    EXPECT_GT(number, 0);
    EXPECT_EQ(TryBind(number), EADDRINUSE);
  }
  EXPECT_EQ(TryBind(number), 0);
}

// As tests and the programs that they start ask for one.
TEST(HeldPortTest, AFreePortOfAnotherIsNeverIt) {
  std::vector<std::unique_ptr<HeldPort>> held;
  std::set<uint16_t> numbers;
  for (int i = 0; i < 500; ++i) {
    held.push_back(std::make_unique<HeldPort>());
    numbers.insert(held.back()->number());
  }
  EXPECT_EQ(numbers.size(), held.size());
  for (int i = 0; i < 2000; ++i) {
    const auto socket = ListenOnLoopback(0);
    ASSERT_TRUE(socket.ok()) << socket.status();
    close(socket->fd);
    EXPECT_EQ(numbers.count(socket->port), 0U) << socket->port;
  }
}

TEST(HeldPortTest, WhoKnowsTheNumberListensThereAgainAndAgain) {
  const HeldPort held;
  for (const auto listen : {ListenOnLoopback, ListenOnAllInterfaces}) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE(
          CheckListening("127.0.0.1", held.number(), absl::Seconds(5)).ok());
      const auto socket = listen(held.number());
      ASSERT_TRUE(socket.ok()) << socket.status();
      EXPECT_TRUE(
          CheckListening("127.0.0.1", held.number(), absl::Seconds(5)).ok());
      close(socket->fd);
    }
  }
}

}  // namespace
}  // namespace tributary
