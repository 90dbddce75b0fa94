#include "channel/in_process_transport.h"

#include <gtest/gtest.h>

#include <memory>

#include "channel/testing/transport_conformance.h"
#include "common/runtime/thread_pool.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

constexpr size_t kMaxQueued = size_t{8} << 20;

// What the two harnesses share: a transport over an executor.
class InProcessWorld {
 public:
  explicit InProcessWorld(Executor* executor)
      : transport_(std::make_unique<InProcessTransport>(
            executor, InProcessOptions{.max_queued_bytes = kMaxQueued})) {}
  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    Address address{"here", 1};
    transport_->Listen(address,
                       std::shared_ptr<StreamAcceptor>(acceptor, [](auto*) {}));
    return address;
  }
  Address Nobody() { return {"nobody", 2}; }
  void KillServers() { transport_.reset(); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  std::unique_ptr<InProcessTransport> transport_;
};

struct SimExecutorHolder {
  SimScheduler scheduler{42};
  SimExecutor* executor = scheduler.AddNode("node");
};

// One thread, virtual time.
class SimulatedHarness : private SimExecutorHolder, public InProcessWorld {
 public:
  SimulatedHarness() : InProcessWorld(executor) {}
  bool RunUntil(conformance::Log&, const std::function<bool()>& done) {
    return scheduler.RunUntil(done, absl::Seconds(60));
  }
};

struct PoolHolder {
  ThreadPool pool{"conformance", 3};
};

class ThreadedHarness : private PoolHolder, public InProcessWorld {
 public:
  ThreadedHarness() : InProcessWorld(&pool) {}
  bool RunUntil(conformance::Log& log, const std::function<bool()>& done) {
    return log.WaitUntil(done);
  }
};

}  // namespace

namespace conformance {
using Harnesses = ::testing::Types<SimulatedHarness, ThreadedHarness>;
INSTANTIATE_TYPED_TEST_SUITE_P(InProcess, TransportConformance, Harnesses);
}  // namespace conformance

namespace {

class TestRoom final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return absl::MakeSpan(bytes_); }

 private:
  uint8_t bytes_[8] = {};
};

// Keeps the room of the message that it hears.
class RoomTaker final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override { room = message.room(); }
  void OnClosed(const absl::Status&) override {}
  std::shared_ptr<SharedRoom> room;
};

class TakingAcceptor final : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream> accepted,
                                        absl::Status*) override {
    stream = std::move(accepted);
    return taker;
  }
  std::shared_ptr<RoomTaker> taker = std::make_shared<RoomTaker>();
  std::shared_ptr<Stream> stream;
};

TEST(InProcessTransportTest, ARoomTravelsBesideTheMessage) {
  SimScheduler world(1);
  InProcessTransport transport(world.AddNode("node"));
  const auto acceptor = std::make_shared<TakingAcceptor>();
  transport.Listen({"here", 1}, acceptor);
  auto stream = transport.Connect({"here", 1}, StreamMethod::kBatches,
                                  std::make_shared<RoomTaker>());
  OutgoingMessage credit;
  credit.kind = MessageKind::kCredit;
  const auto room = std::make_shared<TestRoom>();
  credit.room = room;
  ASSERT_TRUE(stream->Send(std::move(credit)).ok());
  ASSERT_TRUE(world.Drain(100));
  EXPECT_EQ(acceptor->taker->room, room);
  stream->Close(absl::OkStatus());
  ASSERT_TRUE(world.Drain(100));
}

TEST(InProcessTransportTest, StopListeningRefusesNewStreamsOnly) {
  SimScheduler world(1);
  InProcessTransport transport(world.AddNode("node"));
  conformance::Log log;
  conformance::RecordingAcceptor acceptor(&log);
  transport.Listen({"here", 1},
                   std::shared_ptr<StreamAcceptor>(&acceptor, [](auto*) {}));
  auto old_client = std::make_shared<conformance::Recorder>(&log);
  auto old_stream =
      transport.Connect({"here", 1}, StreamMethod::kLeaf, old_client);
  ASSERT_TRUE(world.Drain(100));
  transport.StopListening({"here", 1});
  auto new_client = std::make_shared<conformance::Recorder>(&log);
  auto new_stream =
      transport.Connect({"here", 1}, StreamMethod::kLeaf, new_client);
  ASSERT_TRUE(old_stream->Send(conformance::MakeMessage(1, "", 5)).ok());
  ASSERT_TRUE(world.Drain(100));
  EXPECT_EQ(new_client->closed()->code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(old_client->is_closed());
  EXPECT_EQ(acceptor.accepted()[0]->num_heard(), 1);
  old_stream->Close(absl::OkStatus());
  ASSERT_TRUE(world.Drain(100));
}

}  // namespace
}  // namespace tributary
