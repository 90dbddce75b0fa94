// The tests that every Transport must pass. A backend is one harness type and
// one line:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(InProcess, TransportConformance, MyHarness);
//
// The harness is default-constructible and has
//   Transport* transport();
//   Address Listen(StreamAcceptor*);    // serves until the harness ends
//   Address Nobody();                   // an address where nothing listens
//   bool RunUntil(Log&, done);          // runs until done() holds
//   void KillServers();                 // ends the servers; streams break
//   size_t max_queued_bytes();          // limit of one direction of a stream
#ifndef TRIBUTARY_CHANNEL_TESTING_TRANSPORT_CONFORMANCE_H_
#define TRIBUTARY_CHANNEL_TESTING_TRANSPORT_CONFORMANCE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/planned_end.h"
#include "channel/testing/recording_stream.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"

namespace tributary::conformance {

// Blocks the threads that wait until it is opened.
class Gate {
 public:
  void Wait() {
    MutexLock lock(mutex_);
    while (!open_) opened_.Wait(mutex_);
  }
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    opened_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar opened_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
};

template <typename Harness>
class TransportConformance : public ::testing::Test {
 protected:
  TransportConformance() { address_ = harness_.Listen(&acceptor_); }
  ~TransportConformance() override {
    for (auto& client : clients_) CloseRecorder(*client);
    for (auto& server : acceptor_.accepted()) CloseRecorder(*server);
    EXPECT_TRUE(Until([this] { return AllClosed(); })) << "OnClosed missing";
  }

  bool Until(const std::function<bool()>& done) {
    return harness_.RunUntil(log_, done);
  }
  std::shared_ptr<Recorder> Connect(
      StreamMethod method = StreamMethod::kBatches,
      Recorder::React react = nullptr) {
    return ConnectTo(address_, method, std::move(react));
  }
  std::shared_ptr<Recorder> ConnectTo(
      const Address& address, StreamMethod method = StreamMethod::kBatches,
      Recorder::React react = nullptr) {
    auto client = std::make_shared<Recorder>(&log_, std::move(react));
    clients_.push_back(client);
    client->set_stream(harness_.transport()->Connect(address, method, client));
    return client;
  }
  // Returns the server's end of stream number `i`, once it is accepted.
  std::shared_ptr<Recorder> Server(size_t i = 0) {
    EXPECT_TRUE(Until([&] { return acceptor_.accepted().size() > i; }));
    return acceptor_.accepted().at(i);
  }

  Log log_;
  RecordingAcceptor acceptor_{&log_};
  Harness harness_;
  Address address_;
  std::vector<std::shared_ptr<Recorder>> clients_;

 private:
  static void CloseRecorder(Recorder& recorder) {
    if (const auto stream = recorder.stream()) stream->Close(absl::OkStatus());
  }
  bool AllClosed() {
    for (auto& client : clients_) {
      if (!client->is_closed()) return false;
    }
    for (auto& server : acceptor_.accepted()) {
      if (!server->is_closed()) return false;
    }
    return true;
  }
};

TYPED_TEST_SUITE_P(TransportConformance);

TYPED_TEST_P(TransportConformance, MessagesArriveWholeAndInOrderBothWays) {
  auto client = this->Connect();
  std::vector<Heard> up, down;
  for (uint64_t i = 0; i < 50; ++i) {
    auto message = MakeMessage(i, "up " + std::to_string(i), i * 37, i);
    up.push_back(AsHeard(message));
    ASSERT_TRUE(client->stream()->Send(std::move(message)).ok());
  }
  auto server = this->Server();
  for (uint64_t i = 0; i < 50; ++i) {
    auto message = MakeMessage(i, "down", 5000 - i * 100, i);
    down.push_back(AsHeard(message));
    ASSERT_TRUE(server->stream()->Send(std::move(message)).ok());
  }
  ASSERT_TRUE(this->Until(
      [&] { return server->num_heard() == 50 && client->num_heard() == 50; }));
  EXPECT_EQ(server->heard(), up);
  EXPECT_EQ(client->heard(), down);
}

TYPED_TEST_P(TransportConformance, EveryKindOfStreamReachesTheAcceptor) {
  for (auto method : {StreamMethod::kBatches, StreamMethod::kLeaf,
                      StreamMethod::kControl, StreamMethod::kData}) {
    const size_t number = this->acceptor_.accepted().size();
    this->Connect(method);
    this->Server(number);
    EXPECT_EQ(this->acceptor_.methods().back(), method);
  }
}

TYPED_TEST_P(TransportConformance, TheLargestMessageArrives) {
  auto client = this->Connect();
  auto message =
      MakeMessage(1, std::string(kMaxHeaderBytes, 'h'), kMaxPayloadBytes);
  const Heard sent = AsHeard(message);
  ASSERT_TRUE(client->stream()->Send(std::move(message)).ok());
  auto server = this->Server();
  ASSERT_TRUE(this->Until([&] { return server->num_heard() == 1; }));
  EXPECT_TRUE(server->heard()[0] == sent);
}

TYPED_TEST_P(TransportConformance, ALargerMessageBreaksTheStream) {
  auto client = this->Connect();
  this->Server();
  const absl::Status status =
      client->stream()->Send(MakeMessage(1, "", kMaxPayloadBytes + 1));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
}

TYPED_TEST_P(TransportConformance, ManyStreamsKeepApart) {
  constexpr size_t kStreams = 32;
  this->acceptor_.set_react([](Recorder& self, const Heard& heard) {
    OutgoingMessage answer = MakeMessage(heard.call_id, heard.header, 3000,
                                         static_cast<uint32_t>(heard.call_id));
    (void)self.stream()->Send(std::move(answer));
  });
  std::vector<std::shared_ptr<Recorder>> clients;
  for (size_t i = 0; i < kStreams; ++i) {
    clients.push_back(this->Connect(i % 2 == 0 ? StreamMethod::kBatches
                                               : StreamMethod::kLeaf));
    for (int n = 0; n < 5; ++n) {
      ASSERT_TRUE(clients.back()
                      ->stream()
                      ->Send(MakeMessage(i, std::to_string(n), 10))
                      .ok());
    }
  }
  ASSERT_TRUE(this->Until([&] {
    for (auto& client : clients) {
      if (client->num_heard() < 5) return false;
    }
    return true;
  }));
  for (size_t i = 0; i < kStreams; ++i) {
    for (int n = 0; n < 5; ++n) {
      EXPECT_TRUE(clients[i]->heard()[n] ==
                  AsHeard(MakeMessage(i, std::to_string(n), 3000,
                                      static_cast<uint32_t>(i))));
    }
  }
}

TYPED_TEST_P(TransportConformance, AServersErrorReachesTheClient) {
  auto client = this->Connect();
  auto server = this->Server();
  server->stream()->Close(absl::ResourceExhaustedError("come back later"));
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(client->closed()->message()),
              ::testing::HasSubstr("come back later"));
  EXPECT_EQ(*server->closed(), absl::ResourceExhaustedError("come back later"));
}

TYPED_TEST_P(TransportConformance, WhatWasSentBeforeAnOrderlyCloseArrives) {
  auto client = this->Connect();
  auto server = this->Server();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(server->stream()->Send(MakeMessage(i, "", 100000)).ok());
  }
  server->stream()->Close(absl::OkStatus());
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(client->num_heard(), 20);
  EXPECT_TRUE(client->closed()->ok()) << *client->closed();
  EXPECT_TRUE(server->closed()->ok()) << *server->closed();
}

TYPED_TEST_P(TransportConformance, TheClientMayCloseInGoodOrder) {
  auto client = this->Connect();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client->stream()->Send(MakeMessage(i, "", 1000)).ok());
  }
  client->stream()->Close(absl::OkStatus());
  auto server = this->Server();
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(server->num_heard(), 20);
  EXPECT_TRUE(server->closed()->ok()) << *server->closed();
  EXPECT_TRUE(client->closed()->ok()) << *client->closed();
}

TYPED_TEST_P(TransportConformance, AClientsErrorClosesBothEnds) {
  auto client = this->Connect();
  auto server = this->Server();
  client->stream()->Close(absl::DataLossError("bad frame"));
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(*client->closed(), absl::DataLossError("bad frame"));
  EXPECT_FALSE(server->closed()->ok());
}

TYPED_TEST_P(TransportConformance, BothEndsMayCloseAtOnceAndTwice) {
  auto client = this->Connect();
  auto server = this->Server();
  auto up = client->stream();
  auto down = server->stream();
  up->Close(absl::AbortedError("client"));
  down->Close(absl::AbortedError("server"));
  up->Close(absl::OkStatus());
  down->Close(absl::OkStatus());
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kAborted);
}

TYPED_TEST_P(TransportConformance, SendAfterCloseIsUnavailable) {
  auto client = this->Connect();
  this->Server();
  auto stream = client->stream();
  stream->Close(absl::OkStatus());
  EXPECT_EQ(stream->Send(MakeMessage(1, "", 1)).code(),
            absl::StatusCode::kUnavailable);
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
  EXPECT_EQ(stream->Send(MakeMessage(1, "", 1)).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(stream->queued_bytes(), 0);
}

TYPED_TEST_P(TransportConformance, AHandlerMayCloseFromInside) {
  this->acceptor_.set_react([](Recorder& self, const Heard&) {
    if (const auto stream = self.stream()) {
      stream->Close(absl::InvalidArgumentError("nonsense"));
    }
  });
  auto client = this->Connect();
  ASSERT_TRUE(client->stream()->Send(MakeMessage(1, "", 1)).ok());
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kInvalidArgument);
}

TYPED_TEST_P(TransportConformance, DroppingTheStreamCloses) {
  auto client = this->Connect();
  auto server = this->Server();
  client->set_stream(nullptr);
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kCancelled);
}

TYPED_TEST_P(TransportConformance, NobodyThereIsUnavailableWithTheAddress) {
  const Address nobody = this->harness_.Nobody();
  auto client = this->ConnectTo(nobody);
  if (auto stream = client->stream()) {
    (void)stream->Send(MakeMessage(1, "", 100));
  }
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(client->closed()->message()),
              ::testing::HasSubstr(nobody.ToString()));
}

TYPED_TEST_P(TransportConformance, ARefusalReachesTheClient) {
  this->acceptor_.set_refusal(absl::FailedPreconditionError("draining"));
  auto client = this->Connect();
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(client->closed()->message()),
              ::testing::HasSubstr("draining"));
}

TYPED_TEST_P(TransportConformance, AVanishedServerIsUnavailable) {
  auto client = this->Connect();
  this->Server();
  this->harness_.KillServers();
  ASSERT_TRUE(this->Until([&] { return client->is_closed(); }));
  // A server that ends in order may still say that it meant to.
  const absl::Status why = *client->closed();
  EXPECT_TRUE(absl::IsUnavailable(why) || IsPlannedEnd(why)) << why;
}

TYPED_TEST_P(TransportConformance, TheQueueIsBounded) {
  const size_t limit = this->harness_.max_queued_bytes();
  // The server reads one message and no more. (A harness with one thread runs
  // nothing here until the gate is open.)
  Gate gate;
  this->acceptor_.set_react([&gate](Recorder&, const Heard&) { gate.Wait(); });
  auto client = this->Connect();
  auto server = this->Server();
  auto stream = client->stream();
  absl::Status status;
  size_t sent = 0;
  // Sockets take some of it too, but not so much.
  while (status.ok() && sent < limit + (size_t{64} << 20)) {
    EXPECT_LE(stream->queued_bytes(), limit);
    status = stream->Send(MakeMessage(1, "", 1 << 20));
    sent += 1 << 20;
  }
  gate.Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  EXPECT_EQ(client->closed()->code(), absl::StatusCode::kResourceExhausted);
}

TYPED_TEST_P(TransportConformance, PayloadOwnersAreLetGoOf) {
  auto client = this->Connect();
  auto server = this->Server();
  std::vector<std::weak_ptr<const void>> owners;
  // One that arrives, one that is cut by an error, one that was too late.
  auto send = [&](Stream& stream) {
    auto message = MakeMessage(1, "", 300000);
    message.payload_owner = std::shared_ptr<const void>(
        nullptr,
        [log = &this->log_, kept = message.payload_owner](const void*) mutable {
          kept.reset();
          log->Changed();
        });
    owners.push_back(message.payload_owner);
    (void)stream.Send(std::move(message));
  };
  const auto stream = client->stream();
  send(*stream);
  ASSERT_TRUE(this->Until([&] { return server->num_heard() == 1; }));
  for (int i = 0; i < 30; ++i) send(*stream);
  stream->Close(absl::AbortedError("enough"));
  send(*stream);
  ASSERT_TRUE(
      this->Until([&] { return client->is_closed() && server->is_closed(); }));
  // Perhaps later than OnClosed, on a thread of the transport's.
  EXPECT_TRUE(this->Until([&] {
    for (const auto& owner : owners) {
      if (!owner.expired()) return false;
    }
    return true;
  }));
}

REGISTER_TYPED_TEST_SUITE_P(
    TransportConformance, MessagesArriveWholeAndInOrderBothWays,
    EveryKindOfStreamReachesTheAcceptor, TheLargestMessageArrives,
    ALargerMessageBreaksTheStream, ManyStreamsKeepApart,
    AServersErrorReachesTheClient, WhatWasSentBeforeAnOrderlyCloseArrives,
    TheClientMayCloseInGoodOrder, AClientsErrorClosesBothEnds,
    BothEndsMayCloseAtOnceAndTwice, SendAfterCloseIsUnavailable,
    AHandlerMayCloseFromInside, DroppingTheStreamCloses,
    NobodyThereIsUnavailableWithTheAddress, ARefusalReachesTheClient,
    AVanishedServerIsUnavailable, TheQueueIsBounded, PayloadOwnersAreLetGoOf);

}  // namespace tributary::conformance

#endif  // TRIBUTARY_CHANNEL_TESTING_TRANSPORT_CONFORMANCE_H_
