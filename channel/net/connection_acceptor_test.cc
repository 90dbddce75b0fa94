#include "channel/net/connection_acceptor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/short_folder.h"
#include "common/fleet/testing/ipv6_network.h"

namespace tributary {
namespace {

using conformance::Log;
using raw_http2::Connection;

std::string HostOf(int fd) {
  sockaddr_in name{};
  socklen_t bytes = sizeof(name);
  char text[INET_ADDRSTRLEN] = "";
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes) == 0 &&
      name.sin_family == AF_INET) {
    inet_ntop(AF_INET, &name.sin_addr, text, sizeof(text));
  }
  return text;
}

class ConnectionAcceptorTest : public ::testing::Test {
 protected:
  void Start(const ConnectionAcceptorOptions& options = {},
             const Address& listen = {"127.0.0.1", 0}) {
    auto sockets = ListeningSockets::Open(listen, absl::Seconds(10));
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    port_ = (*sockets)->address().port;
    ConnectionAcceptor::Callbacks callbacks;
    callbacks.accepted = [this](UniqueFd fd, size_t) {
      const UniqueFd same(capture_ ? dup(fd.get()) : -1);
      {
        MutexLock lock(mutex_);
        hosts_.insert(HostOf(fd.get()));
        accepted_.push_back(std::move(fd));
      }
      log_.Changed();
      if (!capture_) return;
      capture_(same);
      shutdown(same.get(), SHUT_RDWR);
    };
    auto acceptor = ConnectionAcceptor::Start(*std::move(sockets), options,
                                              &refusals_, callbacks);
    ASSERT_TRUE(acceptor.ok()) << acceptor.status();
    acceptor_ = *std::move(acceptor);
  }
  bool Accepts(size_t count) {
    return log_.WaitUntil([&] {
      MutexLock lock(mutex_);
      return accepted_.size() >= count;
    });
  }
  // Ends an accepted connection as gRPC does.
  void ShutDown(size_t index) {
    MutexLock lock(mutex_);
    shutdown(accepted_[index].get(), SHUT_RDWR);
    accepted_[index].Reset();
  }
  bool HasConnections(size_t count) {
    const absl::Time end = absl::Now() + absl::Seconds(20);
    while (acceptor_->num_connections() != count) {
      if (absl::Now() > end) return false;
      sched_yield();
    }
    return true;
  }

  uint16_t port_ = 0;
  Log log_;
  Mutex mutex_;
  std::vector<UniqueFd> accepted_;
  std::function<void(const UniqueFd& fd)> capture_;
  std::set<std::string> hosts_;     // of accepted_
  std::vector<uint64_t> received_;  // of those that capture_ has ended
  RefusalCounter refusals_{"connection"};
  std::unique_ptr<ConnectionAcceptor> acceptor_;
};

TEST_F(ConnectionAcceptorTest, AConnectionCountsUntilItsOwnerHasShutItDown) {
  Start();
  auto first = std::make_unique<Connection>(port_);
  ASSERT_TRUE(Accepts(1));
  Connection second(port_);
  ASSERT_TRUE(Accepts(2));
  EXPECT_EQ(acceptor_->num_connections(), 2);
  // Of a half-closed connection the other direction may go on.
  shutdown(first->fd(), SHUT_WR);
  EXPECT_FALSE(second.Closed(absl::Milliseconds(300)));
  EXPECT_EQ(acceptor_->num_connections(), 2);
  ShutDown(0);
  EXPECT_TRUE(HasConnections(1));
  // The duplicate does not keep it open.
  EXPECT_TRUE(first->Closed());
  ShutDown(1);
  EXPECT_TRUE(HasConnections(0));
  EXPECT_TRUE(second.Closed());
}

TEST_F(ConnectionAcceptorTest, AHostHasAtMostHalfAlone) {
  ConnectionAcceptorOptions options;
  options.max_connections = 8;
  Start(options);
  std::vector<std::unique_ptr<Connection>> greedy;
  for (int i = 0; i < 8; ++i) {
    greedy.push_back(std::make_unique<Connection>(port_));
    if (i < 4) {
      ASSERT_TRUE(Accepts(i + 1));
    } else {
      EXPECT_TRUE(greedy.back()->Closed()) << i;
    }
  }
  EXPECT_EQ(refusals_.count("host_share"), 4);
  Connection honest(port_, "127.0.0.2");
  EXPECT_TRUE(Accepts(5));
  ShutDown(0);
  ASSERT_TRUE(HasConnections(4));
  Connection again(port_);
  EXPECT_EQ(refusals_.count("too_many"), 0);
}

TEST_F(ConnectionAcceptorTest, ANetworkOfIpv6IsOneHost) {
  std::vector<std::string> addresses = {"2001:db8::1", "2001:db8:1::1"};
  for (int i = 0; i < 8; ++i) {
    addresses.push_back(absl::StrCat("2001:db8:0:7:", i + 1, "::9"));
  }
  const bool ran = RunWithIpv6Addresses(addresses, [&] {
    ConnectionAcceptorOptions options;
    options.max_connections = 8;
    Start(options, {"::", 0});
    std::vector<UniqueFd> greedy;
    for (int i = 0; i < 8; ++i) {
      greedy.push_back(ConnectOverIpv6(addresses[i + 2], "2001:db8::1", port_));
      ASSERT_TRUE(greedy.back().valid());
    }
    for (int i = 4; i < 8; ++i) EXPECT_TRUE(ClosesInTime(greedy[i])) << i;
    EXPECT_EQ(refusals_.count("host_share"), 4);
    const UniqueFd honest =
        ConnectOverIpv6("2001:db8:1::1", "2001:db8::1", port_);
    EXPECT_TRUE(Accepts(5));
    acceptor_ = nullptr;
  });
  if (!ran) GTEST_SKIP() << "no network of one's own can be had here";
}

TEST_F(ConnectionAcceptorTest, NothingHangsWhereNoDescriptorIsFree) {
  Start();
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < 4; ++i) {
    connections.push_back(std::make_unique<Connection>(port_));
  }
  ASSERT_TRUE(Accepts(4));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd next(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // No number below next's is free, but for the one that the client needs.
  rlimit low = before;
  low.rlim_cur = static_cast<rlim_t>(next.get()) + 2;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  Connection refused(port_);
  ASSERT_TRUE(refused.connected());
  EXPECT_TRUE(refused.Closed());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GE(refusals_.count("descriptors"), 1);
  Connection later(port_);
  EXPECT_TRUE(Accepts(5));
  EXPECT_FALSE(later.Closed(absl::Milliseconds(300)));
}

// Receives as gRPC does, on the thread that it was given: for as long as more
// arrives. Returns the bytes.
uint64_t ReceiveUntilEnd(int fd) {
  char buffer[64 << 10];
  uint64_t bytes = 0;
  for (ssize_t count = 1; count != 0;) {
    pollfd ready{fd, POLLIN, 0};
    poll(&ready, 1, 20'000);
    count = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN) break;
    bytes += static_cast<uint64_t>(std::max<ssize_t>(count, 0));
  }
  return bytes;
}

class CapturedThreadsTest : public ConnectionAcceptorTest {
 protected:
  // Every connection keeps the thread that passes it on until it ends.
  void StartCaptured() {
    capture_ = [this](const UniqueFd& fd) {
      const uint64_t bytes = ReceiveUntilEnd(fd.get());
      {
        MutexLock lock(mutex_);
        received_.push_back(bytes);
      }
      log_.Changed();
    };
    Start();
  }
};

TEST_F(CapturedThreadsTest, AFloodIsCutWhileItIsParsed) {
  StartCaptured();
  std::vector<std::unique_ptr<Connection>> floods;
  const std::string bytes(64 << 10, 'x');
  for (int i = 0; i < 3; ++i) {
    Connection flood(port_, "127.0.0.2");
    for (int n = 0; n < 4096 && flood.Send(bytes); ++n) {
    }
    EXPECT_TRUE(flood.Closed());
  }
  EXPECT_EQ(refusals_.count("receive_memory"), 3);
  ASSERT_TRUE(log_.WaitUntil([&] {
    MutexLock lock(mutex_);
    return received_.size() == 3;
  }));
  MutexLock lock(mutex_);
  // Of 256 MiB.
  for (uint64_t each : received_) EXPECT_LT(each, 64 << 20);
}

TEST_F(CapturedThreadsTest, WhoKeepsTheLastThreadMakesRoom) {
  StartCaptured();
  std::vector<std::unique_ptr<Connection>> silent;
  for (size_t i = 0; i < ConnectionHandover::kLanes + 3; ++i) {
    silent.push_back(std::make_unique<Connection>(port_, "127.0.0.2"));
  }
  const Connection honest(port_);
  EXPECT_TRUE(Accepts(ConnectionHandover::kLanes + 1));
  EXPECT_GE(refusals_.count("hog"), 1);
  acceptor_->Stop();  // ends those that are being passed on
  EXPECT_TRUE(silent.back()->Closed());
}

// Hosts take turns: one that connects often does not keep another waiting.
TEST_F(CapturedThreadsTest, OfManyConnectionsOfOneHostOneIsTakenInTurn) {
  StartCaptured();
  std::vector<std::unique_ptr<Connection>> greedy;
  for (int i = 0; i < 100; ++i) {
    greedy.push_back(std::make_unique<Connection>(port_, "127.0.0.2"));
  }
  ASSERT_TRUE(HasConnections(100));
  const Connection honest(port_, "127.0.0.3");
  EXPECT_TRUE(log_.WaitUntil([&] {
    MutexLock lock(mutex_);
    return hosts_.contains("127.0.0.3");
  }));
  EXPECT_LT(refusals_.count("hog"), 20);
}

bool CanBe(uid_t uid) {
  const pid_t child = fork();
  if (child == 0) _exit(setuid(uid) == 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

// Connects as another user, and returns what the first byte's read returned.
int ReadAsUser(uid_t uid, const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof(name.sun_path) - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (setuid(uid) != 0 ||
        connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) != 0) {
      _exit(2);
    }
    const timeval patience{5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    char c;
    _exit(read(fd, &c, 1) == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(ConnectionAcceptorTest, UnixSocketsAreForTheOwnUserAndRoot) {
  if (!CanBe(65534)) GTEST_SKIP() << "no other user can be had here";
  const ShortFolder folder;
  ASSERT_EQ(chmod(folder.File("").c_str(), 0755), 0);
  Start({}, {absl::StrCat("unix:", folder.File("s")), 0});
  ASSERT_EQ(chmod(folder.File("s").c_str(), 0777), 0);
  EXPECT_EQ(ReadAsUser(65534, folder.File("s")), 0);  // closed
  EXPECT_EQ(refusals_.count("uid"), 1);
  EXPECT_EQ(accepted_.size(), 0);
  // Stays open until its own patience ends.
  EXPECT_EQ(ReadAsUser(geteuid(), folder.File("s")), 1);
  EXPECT_TRUE(Accepts(1));
}

TEST_F(ConnectionAcceptorTest, BytesThatNoMessageAccountsForAreLimited) {
  ConnectionAcceptorOptions options;
  options.guard.receive_memory = 8 << 20;
  Start(options);
  Connection honest(port_, "127.0.0.2");
  ASSERT_TRUE(Accepts(1));
  Connection attacker(port_);
  ASSERT_TRUE(Accepts(2));
  const std::string bytes(64 << 10, 'x');
  char buffer[64 << 10];
  size_t taken = 0;
  for (int i = 0; i < 1024 && attacker.Send(bytes, absl::Seconds(5)); ++i) {
    MutexLock lock(mutex_);
    for (ssize_t count = 1; count > 0; taken += std::max<ssize_t>(count, 0)) {
      count = recv(accepted_[1].get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    }
  }
  EXPECT_TRUE(attacker.Closed());
  EXPECT_EQ(refusals_.count("receive_memory"), 1);
  EXPECT_GT(taken, 1 << 20);
  EXPECT_FALSE(honest.Closed(absl::Milliseconds(300)));
}

TEST_F(ConnectionAcceptorTest, PartsOfMessagesMustBecomeWholeInTime) {
  ConnectionAcceptorOptions options;
  options.guard.message_timeout = absl::Milliseconds(300);
  Start(options);
  Connection slow(port_);
  ASSERT_TRUE(Accepts(1));
  ASSERT_TRUE(slow.Send(std::string(100 << 10, 'x')));
  EXPECT_TRUE(slow.Closed());
  EXPECT_EQ(refusals_.count("slow"), 1);
}

TEST(ConnectionTableTest, PeersAndSocketsHaveTheSameKey) {
  auto sockets = ListeningSockets::Open({"::", 0}, absl::Seconds(1));
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  const Connection client((*sockets)->address().port);
  const UniqueFd fd(accept((*sockets)->sockets()[0].get(), nullptr, nullptr));
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  getsockname(client.fd(), reinterpret_cast<sockaddr*>(&name), &bytes);
  const int port = ntohs(reinterpret_cast<sockaddr_in*>(&name)->sin_port);
  EXPECT_EQ(ConnectionTable::KeyOfSocket(fd.get()),
            ConnectionTable::KeyOfPeer(absl::StrCat("ipv4:127.0.0.1:", port)));
  EXPECT_EQ(ConnectionTable::KeyOfPeer("ipv6:%5B::1%5D:5"),
            ConnectionTable::KeyOfPeer("ipv6:[::1]:5"));
  EXPECT_NE(ConnectionTable::KeyOfPeer("ipv6:[::1]:5"),
            ConnectionTable::KeyOfPeer("ipv6:[::1]:6"));
  EXPECT_NE(ConnectionTable::KeyOfPeer("ipv6:%5Bfe80::1%25eth0%5D:5"), "");
  EXPECT_EQ(ConnectionTable::KeyOfPeer("unix:"), "");
  EXPECT_EQ(ConnectionTable::KeyOfPeer("unix:/a:b"), "");
}

TEST(ReceiveDebtTest, MessagesAndTimeRepayIt) {
  ReceiveDebt debt;
  const absl::Time start = absl::UnixEpoch();
  EXPECT_EQ(debt.Update(1000000, 0, 0, start), 1000000);
  EXPECT_EQ(debt.Update(1500000, 0, 1200000, start), 300000);
  // What is accounted beyond it is not kept.
  EXPECT_EQ(debt.Update(1500000, 0, 9000000, start), 0);
  EXPECT_EQ(debt.Update(1700000, 0, 9000000, start), 200000);
  EXPECT_EQ(debt.Update(1700000, 0, 9000000, start + absl::Seconds(1)),
            200000 - 16384);
  EXPECT_EQ(debt.stalled(), absl::Seconds(1));
  EXPECT_EQ(
      debt.Update(1700000, 4096 * 1000, 9000000, start + absl::Seconds(1)),
      200000 - 16384 - 1000);
  debt.Update(1700000, 4096 * 1000, 9000001, start + absl::Seconds(2));
  EXPECT_EQ(debt.stalled(), absl::ZeroDuration());
}

TEST(ReceiveDebtTest, WhatNothingAnswersIsCountedApart) {
  ReceiveDebt debt;
  const absl::Time start = absl::UnixEpoch();
  debt.Update(1000000, 0, 0, start);
  EXPECT_EQ(debt.unanswered(), 1000000);
  debt.Update(3000000, 0, 0, start);
  EXPECT_EQ(debt.unanswered(), 3000000);
  debt.Update(4000000, 13, 0, start);  // a window update
  EXPECT_EQ(debt.unanswered(), 0);
  EXPECT_EQ(debt.bytes(), 4000000);
  debt.Update(5000000, 13, 0, start);
  EXPECT_EQ(debt.unanswered(), 1000000);
  debt.Update(5000000, 13, 1, start);  // a message that was read
  EXPECT_EQ(debt.unanswered(), 0);
}

TEST(ReceiveDebtTest, AnswersInKindAreCountedUntilAMessageIsRead) {
  ReceiveDebt debt;
  const absl::Time start = absl::UnixEpoch();
  debt.Update(1000000, 0, 0, start);
  debt.Update(2000000, 900000, 0, start);
  debt.Update(3000000, 1800000, 0, start);
  EXPECT_EQ(debt.echoed(), 1800000);
  debt.Update(3000000, 1900000, 5, start);
  EXPECT_EQ(debt.echoed(), 0);
}

TEST(ConnectionUseTest, StreamsMayNotOpenTooFast) {
  ConnectionUse use;
  const absl::Time start = absl::UnixEpoch();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(use.OpenStream(start));
  EXPECT_TRUE(use.OpenStream(start + absl::Milliseconds(11)));
  EXPECT_FALSE(use.hasty());
  EXPECT_FALSE(use.OpenStream(start + absl::Milliseconds(11)));
  EXPECT_TRUE(use.hasty());
}

}  // namespace
}  // namespace tributary
