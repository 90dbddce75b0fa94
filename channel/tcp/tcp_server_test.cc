// What is the TCP transport's own: limits, silence, foreign and hostile
// clients, rooms.
#include "channel/tcp/tcp_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/planned_end.h"
#include "channel/tcp/control_message.h"
#include "channel/tcp/tcp_transport.h"
#include "channel/tcp/testing/tcp_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/tcp_forwarder.h"

namespace tributary {
namespace {

using conformance::BytesOf;
using conformance::Log;
using conformance::MakeMessage;
using conformance::Recorder;
using conformance::RecordingAcceptor;
using raw_http2::Connection;
using ::testing::HasSubstr;

std::string ControlBytes(TcpControl kind, uint64_t value,
                         std::string text = "") {
  OutgoingMessage message;
  message.kind = static_cast<MessageKind>(kind);
  message.call_id = value;
  message.header = std::move(text);
  return BytesOf(message);
}

std::string OpenBytes() { return ControlBytes(TcpControl::kOpen, 0); }

// Returns what arrives until the other end shuts down.
std::string ReceivedUntilTheEnd(int fd) {
  std::string all, piece(1 << 20, '\0');
  while (true) {
    pollfd readable{fd, POLLIN, 0};
    if (poll(&readable, 1, 20000) != 1) return "nothing came";
    const ssize_t n = recv(fd, piece.data(), piece.size(), MSG_DONTWAIT);
    if (n <= 0) return all;
    all.append(piece, 0, static_cast<size_t>(n));
  }
}

class TcpServerTest : public conformance::NetworkTest<TcpNetwork> {
 protected:
  uint16_t port() const { return server_->address().port; }
};

TEST_F(TcpServerTest, PlainTextBeyondLoopbackMustBeAllowed) {
  NetworkServerOptions options;
  options.listen = {"0.0.0.0", 0};
  EXPECT_EQ(TcpServer::Start(options, &acceptor_).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.insecure = true;
  EXPECT_TRUE(TcpServer::Start(options, &acceptor_).ok());
}

TEST_F(TcpServerTest, CallersAreNamedAsByGrpc) {
  Serve();
  Connect();
  ServerEnd();
  EXPECT_THAT(acceptor_.callers()[0]->address, HasSubstr("ipv4:127.0.0.1:"));
  EXPECT_EQ(acceptor_.callers()[0]->host(), "ipv4:127.0.0.1");
}

TEST_F(TcpServerTest, AHostNameIsLookedUp) {
  Serve();
  auto client = Connect({"localhost", port()});
  ASSERT_TRUE(client->stream()->Send(MakeMessage(1, "h", 10)).ok());
  auto server = ServerEnd();
  EXPECT_TRUE(log_.WaitUntil([&] { return server->num_heard() == 1; }));
  auto nowhere = Connect({"no-such-host.invalid", port()});
  ASSERT_TRUE(Closed(*nowhere));
  EXPECT_EQ(nowhere->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(nowhere->closed()->message()),
              HasSubstr("no-such-host.invalid"));
}

TEST_F(TcpServerTest, StreamsBeyondTheLimitAreRefusedAndCounted) {
  NetworkServerOptions options;
  options.max_streams = 4;  // a host alone has half of them
  Serve(options);
  std::vector<std::shared_ptr<Recorder>> clients;
  for (size_t i = 0; i < 2; ++i) {
    clients.push_back(Connect());
    ServerEnd(i);
  }
  auto refused = Connect();
  ASSERT_TRUE(Closed(*refused));
  EXPECT_EQ(refused->closed()->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(server_->refused_streams()["caller_share"], 1);
  EXPECT_TRUE(Until([&] { return server_->num_streams() == 2; }));
  // A place is free again once its stream has ended.
  clients[0]->stream()->Close(absl::OkStatus());
  EXPECT_TRUE(Until([&] { return server_->num_streams() == 1; }));
  Connect();
  ServerEnd(2);
}

TEST_F(TcpServerTest, AConnectionEndsWithItsStream) {
  Serve();
  auto client = Connect();
  ServerEnd();
  EXPECT_EQ(server_->num_connections(), 1);
  client->stream()->Close(absl::OkStatus());
  EXPECT_TRUE(Until([&] { return server_->num_connections() == 0; }));
}

TEST_F(TcpServerTest, WhoOpensNoStreamInTimeIsCutAndCounted) {
  NetworkServerOptions options;
  options.handshake_timeout = absl::Milliseconds(200);
  Serve(options);
  Connection silent(port());
  EXPECT_TRUE(silent.Closed());
  // A byte now and then does not help.
  Connection slow(port());
  ASSERT_TRUE(slow.Send(OpenBytes().substr(0, 5)));
  EXPECT_TRUE(slow.Closed());
  EXPECT_EQ(server_->refused_connections()["slow"], 2);
  EXPECT_EQ(server_->num_streams(), 0);
}

TEST_F(TcpServerTest, WhatIsNoStreamIsRefused) {
  Serve();
  const std::string wrong_version = [] {
    std::string bytes = OpenBytes();
    bytes[4] = 99;
    return bytes;
  }();
  const struct {
    std::string bytes;
    const char* why;
  } kCases[] = {
      {raw_http2::Preface(), "not a Tributary message"},
      {wrong_version, "wire version 99"},
      {BytesOf(MakeMessage(1, "h", 3)), "not with the opening of a stream"},
      {ControlBytes(TcpControl::kOpen, 9), "there is no method 9"},
      {OpenBytes() + OpenBytes(), "opens a stream that is open"},
      {ControlBytes(static_cast<TcpControl>(0xff77), 0), "none of the"},
      {OpenBytes() + ControlBytes(TcpControl::kClose, 99), "status 99"},
  };
  for (const auto& each : kCases) {
    Connection client(port());
    ASSERT_TRUE(client.Send(each.bytes));
    EXPECT_TRUE(client.Receives(each.why)) << each.why;
    shutdown(client.fd(), SHUT_WR);
    EXPECT_TRUE(client.Closed());
  }
  EXPECT_TRUE(Until([&] { return server_->num_streams() == 0; }));
}

TEST_F(TcpServerTest, ADamagedMessageBreaksTheStreamAtBothEnds) {
  Serve();
  Connection client(port());
  std::string bytes = BytesOf(MakeMessage(1, "header", 10));
  bytes[33] ^= 1;
  ASSERT_TRUE(client.Send(OpenBytes() + bytes));
  auto server = ServerEnd();
  ASSERT_TRUE(Closed(*server));
  EXPECT_EQ(server->closed()->code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(client.Receives("CRC32C"));
}

TEST_F(TcpServerTest, AnIdleStreamEndsAsPlanned) {
  NetworkServerOptions options;
  options.stream_idle_timeout = absl::Milliseconds(100);
  options.connection.keepalive_time = absl::Milliseconds(50);
  Serve(options);
  auto client = Connect();
  auto server = ServerEnd();
  ASSERT_TRUE(Closed(*client)) << "pings do not count";
  EXPECT_TRUE(IsPlannedEnd(*client->closed())) << *client->closed();
  EXPECT_TRUE(Until([&] { return server_->num_idle_streams() == 1; }));
}

TEST_F(TcpServerTest, SilenceIsNoEndWhileTheOtherEndLives) {
  NetworkServerOptions options;
  options.connection.keepalive_time = absl::Milliseconds(20);
  options.connection.keepalive_timeout = absl::Milliseconds(200);
  Serve(options);
  Connection client(port());
  ASSERT_TRUE(client.Send(OpenBytes()));
  auto server = ServerEnd();
  const std::string ping = ControlBytes(TcpControl::kPing, 0);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.Receives(ping));
    ASSERT_TRUE(client.Send(ControlBytes(TcpControl::kPong, 0)));
  }
  EXPECT_FALSE(server->is_closed());
  // An end that does not answer is taken for dead.
  ASSERT_TRUE(Closed(*server));
  EXPECT_EQ(server->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(server->closed()->message()),
              HasSubstr("no sign of life"));
}

TEST_F(TcpServerTest, AFrozenServerIsUnavailable) {
  Serve();
  TcpForwarder forwarder(port());
  NetworkTransportOptions options;
  options.connection.keepalive_time = absl::Milliseconds(50);
  options.connection.keepalive_timeout = absl::Milliseconds(100);
  const Address address{"127.0.0.1", forwarder.port()};
  auto client = Connect(address, options);
  ServerEnd();
  forwarder.Freeze();
  ASSERT_TRUE(Closed(*client));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(client->closed()->message()),
              HasSubstr(address.ToString()));
}

TEST_F(TcpServerTest, ALostConnectionIsUnavailable) {
  Serve();
  TcpForwarder forwarder(port());
  auto client = Connect({"127.0.0.1", forwarder.port()});
  auto server = ServerEnd();
  forwarder.Cut();
  ASSERT_TRUE(Closed(*client));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(Closed(*server));
  EXPECT_EQ(server->closed()->code(), absl::StatusCode::kUnavailable);
}

// A flood of pings of a client that reads nothing makes nothing wait.
TEST_F(TcpServerTest, PingsQueueNoAnswersWhereOtherBytesWait) {
  Serve();
  Connection client(port());
  ASSERT_TRUE(client.Send(OpenBytes()));
  auto server = ServerEnd();
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(server->stream()->Send(MakeMessage(i, "", 1 << 20)).ok());
  }
  ASSERT_GT(server->stream()->queued_bytes(), 0);
  const std::string ping = ControlBytes(TcpControl::kPing, 0);
  std::string pings;
  for (int i = 0; i < 10000; ++i) pings += ping;
  pings += BytesOf(MakeMessage(1, "after them", 0));
  for (size_t at = 0; at < pings.size();) {  // Connection would receive as well
    pollfd writable{client.fd(), POLLOUT, 0};
    ASSERT_EQ(poll(&writable, 1, 20000), 1);
    const ssize_t n = send(client.fd(), pings.data() + at, pings.size() - at,
                           MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) at += static_cast<size_t>(n);
  }
  ASSERT_TRUE(log_.WaitUntil([&] { return server->num_heard() == 1; }));
  server->stream()->Close(absl::OkStatus());
  EXPECT_EQ(
      ReceivedUntilTheEnd(client.fd()).find(ControlBytes(TcpControl::kPong, 0)),
      std::string::npos);
}

// Has all payloads read into one room.
class RoomHandler final : public StreamHandler {
 public:
  RoomHandler(Log* log, std::vector<uint8_t>* room) : log_(log), room_(room) {}
  PayloadRoom RoomFor(const IncomingMessage& message) override {
    EXPECT_EQ(message.payload_size(), room_->size());
    return {absl::MakeSpan(*room_), owner};
  }
  void OnMessage(IncomingMessage& message) override {
    copied = message.CopyPayload(absl::MakeSpan(*room_)).ok();
    log_->Changed();
  }
  void OnClosed(const absl::Status&) override {
    closed = true;
    log_->Changed();
  }

  std::shared_ptr<int> owner = std::make_shared<int>(0);
  std::atomic<bool> copied = false;
  std::atomic<bool> closed = false;

 private:
  Log* const log_;
  std::vector<uint8_t>* const room_;
};

TEST_F(TcpServerTest, APayloadGoesWhereTheHandlerWantsIt) {
  Serve();
  constexpr size_t kBytes = 1 << 20;
  std::vector<uint8_t> room(kBytes);
  auto handler = std::make_shared<RoomHandler>(&log_, &room);
  transports_.push_back(*TcpTransport::Start());
  const auto stream = transports_.back()->Connect(
      server_->address(), StreamMethod::kBatches, handler);
  auto server = ServerEnd();
  const auto message = MakeMessage(1, "frame", kBytes);
  ASSERT_TRUE(server->stream()->Send(MakeMessage(1, "frame", kBytes)).ok());
  ASSERT_TRUE(log_.WaitUntil([&] { return handler->copied.load(); }));
  EXPECT_TRUE(std::equal(room.begin(), room.end(), message.payload.begin()));
  server->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(log_.WaitUntil([&] { return handler->closed.load(); }));
  EXPECT_TRUE(Until([&] { return handler->owner.use_count() == 1; }));
}

TEST_F(TcpServerTest, ShutdownEndsStreamsAsPlannedAfterTheirMessages) {
  Serve();
  auto client = Connect();
  auto server = ServerEnd();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(server->stream()->Send(MakeMessage(i, "", 100000)).ok());
  }
  server_->Shutdown(absl::Seconds(20));
  EXPECT_TRUE(server->is_closed());
  ASSERT_TRUE(Closed(*client));
  EXPECT_TRUE(IsPlannedEnd(*client->closed())) << *client->closed();
  EXPECT_EQ(client->num_heard(), 50);
  EXPECT_EQ(server_->num_streams(), 0);
  auto late = Connect();
  ASSERT_TRUE(Closed(*late));
  EXPECT_EQ(late->closed()->code(), absl::StatusCode::kUnavailable);
}

// Shutdown does not wait for who does not read.
TEST_F(TcpServerTest, ShutdownBreaksWhatIsLeftAfterItsGrace) {
  Serve();
  Connection client(port());
  ASSERT_TRUE(client.Send(OpenBytes()));
  auto server = ServerEnd();
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(server->stream()->Send(MakeMessage(i, "", 1 << 20)).ok());
  }
  server_->Shutdown(absl::Milliseconds(50));
  EXPECT_TRUE(server->is_closed());
  EXPECT_EQ(server_->num_streams(), 0);
}

TEST_F(TcpServerTest, StreamsOfATransportThatEndsClose) {
  Serve();
  auto client = Connect();
  ServerEnd();
  transports_.back()->Shutdown();
  EXPECT_TRUE(client->is_closed());
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  auto late = std::make_shared<Recorder>(&log_);
  late->set_stream(transports_.back()->Connect(server_->address(),
                                               StreamMethod::kBatches, late));
  EXPECT_TRUE(Closed(*late));
}

}  // namespace
}  // namespace tributary
