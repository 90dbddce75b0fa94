// Whatever calls for mutable rows leave behind counts in a budget at its true
// size. The witness is operator new (held_memory.h): between two times at which
// nothing is under way, the process may come to hold no more than the budgets
// say, and holds nothing more once the attempts have ended.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "common/testing/held_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

constexpr uint64_t kADayMs = 24 * 3'600'000;
constexpr size_t kTensorMemory = size_t{16} << 20;
// The world itself grows as time passes, and its queues keep their room: 69,440
// bytes were seen after 8,000 meetings.
constexpr int64_t kNoise = 96 << 10;

// A stream that keeps nothing of what it sends and hears, so that only the
// server's memory grows.
class RawStream final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override {
    ++(message.kind() == MessageKind::kCallError ? errors : replies);
  }
  void OnClosed(const absl::Status&) override { stream.reset(); }
  template <typename Request>
  void Send(MessageKind kind, const Request& request,
            const std::string& more = "") {
    OutgoingMessage message;
    message.kind = kind;
    message.call_id = ++sent_;
    message.header = request.SerializeAsString() + more;
    if (stream != nullptr) stream->Send(std::move(message)).IgnoreError();
  }
  uint64_t replies = 0, errors = 0;
  std::shared_ptr<Stream> stream;

 private:
  uint64_t sent_ = 0;
};

class RowMemoryTest : public ::testing::Test {
 protected:
  RowMemoryTest() {
    SimServerOptions options;
    options.graph.num_nodes = 3;
    options.graph.edges = {{1, 0}, {2, 0}};
    options.tensor_memory = kTensorMemory;
    server_ = &fleet_.Add(options);
    node_ = fleet_.world.AddNode("trainer");
    RunFor(absl::Seconds(1));
  }

  std::shared_ptr<RawStream> Connect() {
    auto raw = std::make_shared<RawStream>();
    raw->stream = fleet_.network.TransportOf(node_)->Connect(
        server_->address, StreamMethod::kData, raw);
    streams_.push_back(raw);
    return raw;
  }
  template <typename Request>
  Request With(uint32_t rank, uint64_t attempt = 1) {
    Request request;
    v1::AttemptRef& ref = *request.mutable_attempt();
    ref.set_job("job");
    const auto& digest = server_->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt);
    ref.set_rank(rank);
    ref.set_client(rank + 1);
    return request;
  }
  void Open(RawStream& by, uint32_t world, uint64_t attempt = 1) {
    auto request = With<v1::OpenAttemptRequest>(0, attempt);
    request.set_world(world);
    v1::TensorMember& member = *request.add_members();
    member.set_address("server0:1");
    member.set_incarnation(server_->incarnation);
    by.Send(MessageKind::kOpenAttemptRequest, request);
    RunFor(absl::Milliseconds(20));
  }
  // Makes tensor "t" of 100 rows, with an optimizer.
  void Create(RawStream& by) {
    auto create = With<v1::CreateTensorRequest>(0);
    *create.mutable_spec() = FloatSpec("t", 100, 1);
    by.Send(MessageKind::kCreateTensorRequest, create);
    auto attach = With<v1::AttachOptimizerRequest>(0);
    attach.set_name("t");
    attach.set_optimizer(v1::SPARSE_SGD);
    RunFor(absl::Milliseconds(20));
    by.Send(MessageKind::kAttachOptimizerRequest, attach);
    RunFor(absl::Milliseconds(20));
    ASSERT_EQ(by.errors, 0u);
  }
  v1::MeetRequest Meet(uint32_t rank, std::string value) {
    auto meet = With<v1::MeetRequest>(rank);
    meet.set_sequence(1);
    meet.set_purpose("barrier");
    meet.set_value(std::move(value));
    meet.set_timeout_ms(kADayMs);
    return meet;
  }
  void RunFor(absl::Duration time) {
    bool passed = false;
    fleet_.world.Schedule(-1, fleet_.world.now() + time,
                          [&] { passed = true; });
    fleet_.world.RunUntil([&] { return passed; }, 2 * time);
  }
  // What budgets say that rows and their calls hold.
  int64_t Counted() {
    const TensorStore& tensors = server_->service->tensors();
    size_t counted = tensors.memory().used() + tensors.staging().used();
    for (const BudgetState& budget : server_->service->shared_budgets()) {
      if (budget.name == "data budget" || budget.name == "attempt budget") {
        counted += budget.used;
      }
    }
    return static_cast<int64_t>(counted);
  }
  // Sends, in portions that the network takes, and checks what is left behind.
  void ExpectCounted(int times, const std::function<void(int)>& send) {
    RunFor(absl::Seconds(1));
    const int64_t held = HeldBytes(), counted = Counted();
    for (int i = 0; i < times; ++i) {
      send(i);
      if (i % 200 == 199) RunFor(absl::Milliseconds(20));
    }
    RunFor(absl::Seconds(1));
    grown_ = HeldBytes() - held;
    EXPECT_LE(grown_, Counted() - counted + kNoise);
    RecordProperty("held", std::to_string(grown_));
    RecordProperty("counted", std::to_string(Counted() - counted));
    std::printf("held %ld counted %ld\n", static_cast<long>(grown_),
                static_cast<long>(Counted() - counted));
  }
  // Closes all streams and waits until the attempts have ended.
  void ExpectNothingIsLeft(int64_t before) {
    for (const auto& raw : streams_) {
      if (raw->stream != nullptr) raw->stream->Close(absl::OkStatus());
    }
    streams_.clear();
    RunFor(absl::Minutes(3));
    EXPECT_EQ(server_->service->tensors().open_attempts(), 0u);
    EXPECT_EQ(Counted(), 0);
    EXPECT_LE(HeldBytes() - before, kNoise);
  }

  SimFleet fleet_{1};
  SimServer* server_ = nullptr;
  SimExecutor* node_ = nullptr;
  std::vector<std::shared_ptr<RawStream>> streams_;
  int64_t grown_ = 0;
};

// A rank that sends its parts in order, and one whose first part is missing.
TEST_F(RowMemoryTest, EmptyPartsOfARound) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  for (const uint32_t rank : {0, 1}) {
    ExpectCounted(20'000, [&](int i) {
      auto push = With<v1::PushRoundRequest>(rank);
      push.set_round(1);
      push.set_part(static_cast<uint32_t>(i) + rank);
      raw->Send(MessageKind::kPushRoundRequest, push);
    });
  }
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, PushesWithoutRows) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  Create(*raw);
  ExpectCounted(200, [&](int i) {
    auto push = With<v1::PushRoundRequest>(0);
    push.set_round(1);
    push.set_part(static_cast<uint32_t>(i));
    for (int k = 0; k < 1000; ++k) push.add_pushes()->set_name("t");
    raw->Send(MessageKind::kPushRoundRequest, push);
  });
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, PushesThatWaitForTheirRound) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  ExpectCounted(30, [&](int) {
    auto push = With<v1::PushRoundRequest>(0);
    push.set_round(9);
    // Pushes without a byte, and unknown fields.
    std::string empty;
    for (int k = 0; k < 20'000; ++k) empty += std::string("\x2a\x00", 2);
    for (int k = 0; k < 20'000; ++k) empty += std::string("\x7a\x00", 2);
    raw->Send(MessageKind::kPushRoundRequest, push, empty);
  });
  EXPECT_GT(grown_, 0);
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, WaitingMeetings) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  std::vector<std::shared_ptr<RawStream>> more;
  for (int i = 0; i < 40; ++i) more.push_back(Connect());
  // Streams have a cost of their own, which is another bound's.
  for (const auto& one : more)
    one->Send(MessageKind::kMeetRequest, Meet(0, ""));
  ExpectCounted(8000, [&](int i) {
    more[static_cast<size_t>(i) % more.size()]->Send(MessageKind::kMeetRequest,
                                                     Meet(0, ""));
  });
  EXPECT_GT(grown_, 1 << 20);
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, ValuesAndPurposesOfMeetings) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 15);
  ExpectCounted(15, [&](int rank) {
    raw->Send(MessageKind::kMeetRequest,
              Meet(static_cast<uint32_t>(rank), std::string(64'000, 'v')));
    RunFor(absl::Milliseconds(20));
  });
  ExpectCounted(40, [&](int) {
    auto meet = Meet(0, "v");
    meet.set_sequence(2);
    meet.set_purpose(std::string(200'000, 'p'));
    raw->Send(MessageKind::kMeetRequest, meet);
    RunFor(absl::Milliseconds(20));
  });
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, ReadsThatWaitForARound) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  Create(*raw);
  ExpectCounted(200, [&](int) {
    auto read = With<v1::ReadRowsRequest>(0);
    read.set_name("t");
    read.set_after_round(1);
    read.set_timeout_ms(kADayMs);
    raw->Send(MessageKind::kReadRowsRequest, read,
              std::string(20'000, '\x7a') + '\0');
    raw->Send(MessageKind::kReadRowsRequest, read);
  });
  EXPECT_GT(grown_, 0);
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, WritesWithoutRows) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 8);
  Create(*raw);
  ExpectCounted(8 * 4095, [&](int i) {
    auto write = With<v1::WriteRowsRequest>(static_cast<uint32_t>(i % 8));
    write.set_name("t");
    write.set_sequence(static_cast<uint64_t>(i / 8) + 1);
    write.set_oldest_open(1);
    raw->Send(MessageKind::kWriteRowsRequest, write);
  });
  EXPECT_EQ(raw->errors, 0u);
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, SpecificationsOfTensors) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 1);
  ExpectCounted(40, [&](int i) {
    auto create = With<v1::CreateTensorRequest>(0);
    *create.mutable_spec() =
        FloatSpec(std::string(290, 'a') + std::to_string(i), 1, 0);
    create.mutable_spec()->set_policy(std::string(300, 'p'));
    if (i % 2 == 0) {
      create.mutable_spec()
          ->GetReflection()
          ->MutableUnknownFields(create.mutable_spec())
          ->AddLengthDelimited(99, std::string(200'000, 'u'));
    }
    raw->Send(MessageKind::kCreateTensorRequest, create);
  });
  ExpectNothingIsLeft(before);
}

// Each replaces the one before, on one stream.
TEST_F(RowMemoryTest, AttemptsWithoutEnd) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  ExpectCounted(300,
                [&](int i) { Open(*raw, 4096, static_cast<uint64_t>(i) + 1); });
  EXPECT_EQ(raw->errors, 0u);  // one's own old attempts are not in the way
  ExpectNothingIsLeft(before);
}

TEST_F(RowMemoryTest, StreamsThatJoinAndClose) {
  const int64_t before = HeldBytes();
  const auto raw = Connect();
  Open(*raw, 2);
  auto join = With<v1::JoinAttemptRequest>(0);
  raw->stream->Close(absl::OkStatus());
  RunFor(absl::Milliseconds(100));
  ExpectCounted(3000, [&](int) {
    const auto one = Connect();
    one->Send(MessageKind::kJoinAttemptRequest, join);
    RunFor(absl::Milliseconds(12));
    one->stream->Close(absl::OkStatus());
    streams_.pop_back();
  });
  ExpectNothingIsLeft(before);
}

}  // namespace
}  // namespace tributary
