#include "trainer_client/torch/ddp/listen_socket.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tributary {
namespace {

TEST(ListenSocketTest, ListensUntilClosed) {
  for (const auto listen : {ListenOnLoopback, ListenOnAllInterfaces}) {
    const auto socket = listen(0);
    ASSERT_TRUE(socket.ok()) << socket.status();
    EXPECT_GT(socket->port, 0);
    EXPECT_TRUE(
        CheckListening("127.0.0.1", socket->port, absl::Seconds(5)).ok());
    // The port is taken, and the error says which one.
    const auto second = listen(socket->port);
    EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_NE(second.status().message().find(std::to_string(socket->port)),
              std::string::npos);
    close(socket->fd);
    EXPECT_EQ(
        CheckListening("127.0.0.1", socket->port, absl::Seconds(5)).code(),
        absl::StatusCode::kUnavailable);
  }
}

TEST(ListenSocketTest, UnknownNamesAreNamed) {
  const absl::Status status =
      CheckListening("no such host", 29500, absl::Seconds(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("no such host"), std::string::npos);
}

}  // namespace
}  // namespace tributary
