// What is gRPC's own: ports, lost and frozen connections, foreign clients.
#include "channel/grpc/grpc_server.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/testing/grpc_network.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/grpc/testing/unary_call.h"
#include "channel/planned_end.h"
#include "channel/testing/network_test.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/short_folder.h"
#include "channel/testing/tcp_forwarder.h"
#include "common/io/unique_fd.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::MakeMessage;
using conformance::Recorder;
using conformance::RecordingAcceptor;
using ::testing::HasSubstr;

class GrpcServerTest : public conformance::NetworkTest<GrpcNetwork> {
 protected:
  // gRPC shuts itself down with its last channel, and then waits up to 10 s for
  // what a frozen connection has left. Here it stays.
  static void SetUpTestSuite() { grpc_init(); }
  static void TearDownTestSuite() { grpc_shutdown(); }

  bool HasConnections(size_t count) {
    return Until([&] { return server_->num_connections() == count; });
  }
};

TEST_F(GrpcServerTest, ASocketsPathIsTakenOnlyFromTheDead) {
  const ShortFolder folder;
  NetworkServerOptions options;
  options.listen = {absl::StrCat("unix:", folder.File("s")), 0};
  Serve(options);
  EXPECT_EQ(server_->address(), options.listen);
  const absl::Status twice = GrpcServer::Start(options, &acceptor_).status();
  EXPECT_EQ(twice.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(twice.message()), HasSubstr("by another server"));
  EXPECT_THAT(std::string(twice.message()), HasSubstr(folder.File("s")));
  auto client = Connect(options.listen);
  ServerEnd();
  // Of one that was killed.
  const UniqueFd dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  folder.File("dead").copy(name.sun_path, sizeof(name.sun_path) - 1);
  ASSERT_EQ(
      bind(dead.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)),
      0);
  options.listen.host = absl::StrCat("unix:", folder.File("dead"));
  EXPECT_TRUE(GrpcServer::Start(options, &acceptor_).ok());
  std::ofstream(folder.File("text")) << "kept";
  options.listen.host = absl::StrCat("unix:", folder.File("text"));
  EXPECT_EQ(GrpcServer::Start(options, &acceptor_).status().code(),
            absl::StatusCode::kAlreadyExists);
  std::string kept;
  std::ifstream(folder.File("text")) >> kept;
  EXPECT_EQ(kept, "kept");
}

TEST_F(GrpcServerTest, APortInUseIsRefused) {
  Serve();
  NetworkServerOptions options;
  options.listen = server_->address();
  EXPECT_NE(options.listen.port, 0);
  const auto second = GrpcServer::Start(options, &acceptor_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(options.listen.ToString()));
}

TEST_F(GrpcServerTest, PlaintextBeyondLoopbackNeedsInsecure) {
  NetworkServerOptions options;
  options.listen = {"0.0.0.0", 0};
  const auto server = GrpcServer::Start(options, &acceptor_);
  EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("--insecure"));
  options.insecure = true;
  EXPECT_TRUE(GrpcServer::Start(options, &acceptor_).ok());
  options.insecure = false;
  options.listen = {"127.evil.example", 0};
  EXPECT_FALSE(GrpcServer::Start(options, &acceptor_).ok());
}

TEST_F(GrpcServerTest, UnknownMethodsAndForeignBytesAreRefused) {
  Serve();
  std::string response;
  EXPECT_EQ(CallUnary(server_->address(), "/tributary.v1.Sampler/Nope", "x",
                      &response)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  const grpc::Status status =
      CallUnary(server_->address(), "/tributary.v1.Sampler/Leaf",
                std::string(100, 'x'), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_THAT(status.error_message(), HasSubstr("not a Tributary message"));
  ASSERT_TRUE(Closed(*ServerEnd()));
  EXPECT_EQ(ServerEnd()->closed()->code(), absl::StatusCode::kDataLoss);
}

// Streams come over connections that differ, since each transport has its own.
TEST_F(GrpcServerTest, ACallerLeavesStreamsToOthers) {
  NetworkServerOptions options;
  options.listen = {"0.0.0.0", 0};  // of both families
  options.insecure = true;
  options.max_streams = 8;
  Serve(options);
  std::vector<std::shared_ptr<Recorder>> greedy;
  for (int i = 0; i < 8; ++i) {
    greedy.push_back(Connect({"127.0.0.1", server_->address().port}));
    ASSERT_TRUE(log_.WaitUntil([&] {
      return acceptor_.accepted().size() == greedy.size() ||
             greedy.back()->is_closed();
    }));
    if (greedy.back()->is_closed()) break;
  }
  const size_t taken = acceptor_.accepted().size();
  EXPECT_EQ(taken, 4);
  auto honest = Connect({"::1", server_->address().port});
  EXPECT_TRUE(
      log_.WaitUntil([&] { return acceptor_.accepted().size() == taken + 1; }));
  EXPECT_FALSE(honest->is_closed());
  honest->stream()->Close(absl::OkStatus());
  EXPECT_TRUE(Closed(*honest));
}

TEST_F(GrpcServerTest, StreamsAreLimited) {
  NetworkServerOptions options;
  options.max_streams = 1;
  Serve(options);
  auto first = Connect(server_->address());
  ServerEnd();
  EXPECT_EQ(server_->num_streams(), 1);
  auto second = Connect(server_->address());
  ASSERT_TRUE(Closed(*second));
  EXPECT_EQ(second->closed()->code(), absl::StatusCode::kResourceExhausted);
  first->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(Closed(*first));
}

TEST_F(GrpcServerTest, ConnectionsThatNeverBeginEnd) {
  NetworkServerOptions options;
  options.handshake_timeout = absl::Milliseconds(300);
  Serve(options);
  raw_http2::Connection silent(server_->address().port);
  raw_http2::Connection half(server_->address().port);
  ASSERT_TRUE(half.Send("PRI * HTTP/2.0\r\n"));
  raw_http2::Connection without_settings(server_->address().port);
  ASSERT_TRUE(without_settings.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  EXPECT_TRUE(silent.Closed());
  EXPECT_TRUE(half.Closed());
  EXPECT_TRUE(without_settings.Closed());
  EXPECT_TRUE(HasConnections(0));
}

TEST_F(GrpcServerTest, ConnectionsWithoutStreamsEnd) {
  NetworkServerOptions options;
  options.connection_idle_timeout = absl::Milliseconds(300);
  Serve(options);
  raw_http2::Connection idle(server_->address().port);
  ASSERT_TRUE(idle.Begin());
  EXPECT_TRUE(HasConnections(1));
  EXPECT_TRUE(idle.Closed());
  auto client = Connect(server_->address());
  auto server = ServerEnd();
  EXPECT_FALSE(log_.WaitUntil([&] { return client->is_closed(); },
                              std::chrono::seconds(1)));
  client->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(Closed(*client));
}

TEST_F(GrpcServerTest, IdleStreamsEndAsPlanned) {
  NetworkServerOptions options;
  options.stream_idle_timeout = absl::Milliseconds(1500);
  Serve(options);
  auto idle = Connect(server_->address());
  ASSERT_TRUE(log_.WaitUntil([&] { return acceptor_.accepted().size() == 1; }));
  auto busy = Connect(server_->address());
  ASSERT_TRUE(log_.WaitUntil([&] { return acceptor_.accepted().size() == 2; }));
  auto busy_server = acceptor_.accepted()[1];
  size_t sent = 0;
  while (!idle->is_closed() && sent < 100) {
    ASSERT_TRUE(busy->stream()->Send(MakeMessage(1, "", 10)).ok());
    ++sent;
    log_.WaitUntil([&] { return idle->is_closed(); },
                   std::chrono::milliseconds(200));
  }
  ASSERT_TRUE(Closed(*idle));
  EXPECT_TRUE(IsPlannedEnd(*idle->closed())) << *idle->closed();
  EXPECT_FALSE(busy->is_closed());
  EXPECT_FALSE(busy_server->is_closed());
  busy->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(Closed(*busy));
}

TEST_F(GrpcServerTest, ShutdownSendsWhatIsQueuedAndEndsEveryStream) {
  Serve();
  auto client = Connect(server_->address());
  auto server = ServerEnd();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(server->stream()->Send(MakeMessage(i, "", 1 << 20)).ok());
  }
  server_->Shutdown(absl::Seconds(10));
  EXPECT_TRUE(server->is_closed());
  EXPECT_EQ(server_->num_streams(), 0);
  ASSERT_TRUE(Closed(*client));
  EXPECT_EQ(client->num_heard(), 10);
  EXPECT_TRUE(IsPlannedEnd(*client->closed())) << *client->closed();
  EXPECT_THAT(std::string(client->closed()->message()),
              HasSubstr("shutting down"));
  auto late = Connect(server_->address());
  ASSERT_TRUE(Closed(*late));
  EXPECT_EQ(late->closed()->code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerTest, ACutConnectionClosesBothEnds) {
  Serve();
  TcpForwarder wire(server_->address().port);
  const Address address{"127.0.0.1", wire.port()};
  auto client = Connect(address);
  auto server = ServerEnd();
  wire.Cut();
  ASSERT_TRUE(Closed(*client));
  ASSERT_TRUE(Closed(*server));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(client->closed()->message()),
              HasSubstr(address.ToString()));
  EXPECT_EQ(server->closed()->code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerTest, AFrozenConnectionIsGivenUpByBothEnds) {
  NetworkServerOptions server_options;
  server_options.connection.keepalive_time = absl::Milliseconds(200);
  server_options.connection.keepalive_timeout = absl::Milliseconds(200);
  Serve(server_options);
  TcpForwarder wire(server_->address().port);
  NetworkTransportOptions options;
  options.connection = server_options.connection;
  auto client = Connect({"127.0.0.1", wire.port()}, options);
  auto server = ServerEnd();
  wire.Freeze();
  ASSERT_TRUE(Closed(*client));
  ASSERT_TRUE(Closed(*server));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server->closed()->code(), absl::StatusCode::kUnavailable);
}

// Pings at the interval that both agreed on are no abuse.
TEST_F(GrpcServerTest, AnIdleStreamStays) {
  NetworkServerOptions server_options;
  server_options.connection.keepalive_time = absl::Milliseconds(50);
  Serve(server_options);
  NetworkTransportOptions options;
  options.connection = server_options.connection;
  auto client = Connect(server_->address(), options);
  ServerEnd();
  // Twenty pings' time.
  EXPECT_FALSE(log_.WaitUntil([&] { return client->is_closed(); },
                              std::chrono::seconds(1)));
  client->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(Closed(*client));
  EXPECT_TRUE(client->closed()->ok()) << *client->closed();
}

TEST_F(GrpcServerTest, AServerThatNeverAnswersIsUnavailableInTime) {
  Serve();
  TcpForwarder wire(server_->address().port);
  wire.Freeze();
  NetworkTransportOptions options;
  options.connect_timeout = absl::Milliseconds(300);
  auto client = Connect({"127.0.0.1", wire.port()}, options);
  ASSERT_TRUE(Closed(*client));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerTest, ACloseThatCannotBeHeardEndsInTime) {
  NetworkServerOptions server_options;
  server_options.connection.close_timeout = absl::Milliseconds(200);
  // What TCP has taken is given up by keepalive only.
  server_options.connection.keepalive_time = absl::Milliseconds(300);
  server_options.connection.keepalive_timeout = absl::Milliseconds(300);
  Serve(server_options);
  TcpForwarder wire(server_->address().port);
  NetworkTransportOptions options;
  options.connection = server_options.connection;
  auto client = Connect({"127.0.0.1", wire.port()}, options);
  auto server = ServerEnd();
  // Made before: keepalive breaks the stream soon after the freeze.
  std::vector<OutgoingMessage> messages;
  for (int i = 0; i < 30; ++i) messages.push_back(MakeMessage(i, "", 1 << 20));
  wire.Freeze();
  for (OutgoingMessage& message : messages) {
    ASSERT_TRUE(server->stream()->Send(std::move(message)).ok());
  }
  server->stream()->Close(absl::OkStatus());
  client->stream()->Close(absl::OkStatus());
  EXPECT_TRUE(Closed(*server));
  EXPECT_TRUE(Closed(*client));
}

TEST_F(GrpcServerTest, BulkStreamsAndCallsHaveConnectionsOfTheirOwn) {
  Serve();
  TcpForwarder wire(server_->address().port);
  const Address address{"127.0.0.1", wire.port()};
  std::vector<std::shared_ptr<Recorder>> clients;
  GrpcTransport transport;
  for (auto method : {StreamMethod::kBatches, StreamMethod::kBatches,
                      StreamMethod::kLeaf, StreamMethod::kControl}) {
    clients.push_back(std::make_shared<Recorder>(&log_));
    clients.back()->set_stream(
        transport.Connect(address, method, clients.back()));
  }
  ASSERT_TRUE(
      log_.WaitUntil([this] { return acceptor_.accepted().size() == 4; }));
  EXPECT_EQ(wire.num_connections(), 2);
  for (auto& client : clients) {
    client->stream()->Close(absl::OkStatus());
    ASSERT_TRUE(Closed(*client));
  }
}

TEST_F(GrpcServerTest, ATransportThatWasShutDownClosesOldAndNewStreams) {
  Serve();
  auto client = std::make_shared<Recorder>(&log_);
  GrpcTransport transport;
  client->set_stream(
      transport.Connect(server_->address(), StreamMethod::kLeaf, client));
  auto server = ServerEnd();
  transport.Shutdown();
  EXPECT_EQ(client->closed(), absl::UnavailableError("the transport was shut "
                                                     "down"));
  auto late = std::make_shared<Recorder>(&log_);
  late->set_stream(
      transport.Connect(server_->address(), StreamMethod::kLeaf, late));
  ASSERT_TRUE(Closed(*late));
  EXPECT_EQ(late->closed()->code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(Closed(*server));
}

}  // namespace
}  // namespace tributary
