// Reads of the graph while servers crash, streams break and owners differ: in
// the simulation.
#include "trainer_client/core/reads/graph_client.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/proto/graph_reads.pb.h"
#include "common/proto/wire.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/sim_fleet.h"
#include "trainer_client/core/testing/accept_all.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNodes = 40;
constexpr uint32_t kPartitions = 4;

// x of node i is i; node i is in partition i mod 4.
GraphSpec Spec() {
  GraphSpec spec;
  spec.num_nodes = kNodes;
  for (int64_t i = 0; i < kNodes; ++i) {
    spec.edges.emplace_back(i, (i + 1) % kNodes);
    spec.x.push_back(static_cast<float>(i));
  }
  spec.num_partitions = kPartitions;
  return spec;
}

class GraphClientTest : public testing::Test {
 protected:
  // Starts a server for each list of partitions, and a trainer.
  void Start(uint64_t seed, const std::vector<std::vector<uint32_t>>& owned,
             const SimNetworkFaults& faults = {}) {
    fleet_.emplace(seed);
    for (const auto& partitions : owned) {
      SimServerOptions server;
      server.graph = Spec();
      server.partitions = partitions;
      if (fleet_->servers.empty()) server.before = lies_;  // the first
      fleet_->Add(server);
    }
    fleet_->Settle();
    fleet_->network.faults() = faults;
    trainer_ = fleet_->world.AddNode("trainer");
    strand_ = std::make_shared<Strand>(trainer_);
    ServerFleetOptions options;
    for (const auto& server : fleet_->servers) {
      options.source.addresses.push_back(server->address);
    }
    options.link.transport = fleet_->network.TransportOf(trainer_);
    options.link.strand = strand_;
    options.link.client_name = "test";
    options.link.call_timeout = absl::Seconds(1);
    options.jitter_seed = seed;
    servers_ = std::make_shared<ServerFleet>(options);
    GraphClientOptions client;
    client.transport = options.link.transport;
    client.strand = strand_;
    client.layout = fleet_->servers[0]->graph->schema().layout_digest;
    client.max_outstanding = 2;
    client.call_timeout = absl::Seconds(2);
    client_ = std::make_shared<GraphClient>(client, servers_);
    strand_->Post([this] {
      servers_->SetEvents(events_);
      servers_->Start();
    });
  }
  ~GraphClientTest() override {
    bool closed = false;
    strand_->Post([&] {
      client_->Close();
      servers_->Close([&] { closed = true; });
    });
    EXPECT_TRUE(
        fleet_->world.RunUntil([&] { return closed; }, absl::Minutes(2)));
    // Nothing is held on servers for replies that nobody reads.
    for (const auto& server : fleet_->servers) {
      if (server->service == nullptr) continue;
      EXPECT_TRUE(fleet_->world.RunUntil(
          [&] { return server->service->data_budget().used() == 0; },
          absl::Minutes(2)));
    }
  }

  // A call for x of rows of a partition.
  GraphRead ReadX(uint32_t partition, const std::vector<uint64_t>& rows) {
    v1::ReadColumnRequest request;
    const Sha256Digest& layout =
        fleet_->servers[0]->graph->schema().layout_digest;
    request.set_layout_digest(layout.data(), layout.size());
    request.set_partition(partition);
    request.set_node_type(0);
    request.set_column(v1::STORED_COLUMN_X);
    request.set_num_rows(rows.size());
    request.set_timeout_ms(2000);
    GraphRead read;
    read.kind = MessageKind::kReadColumnRequest;
    read.partition = partition;
    read.header = request.SerializeAsString();
    read.payload.resize(rows.size() * sizeof(uint64_t));
    std::memcpy(read.payload.data(), rows.data(), read.payload.size());
    read.reply_bytes = rows.size() * sizeof(float);
    return read;
  }
  using Replies = absl::StatusOr<GraphClient::Replies>;
  // Begins a read; its result comes to `*result`.
  void Begin(std::vector<GraphRead> reads, absl::Duration timeout,
             std::optional<Replies>* result) {
    strand_->Post([this, reads = std::move(reads), timeout, result]() mutable {
      client_->Read(std::move(reads), strand_->Now() + timeout,
                    [result](Replies replies) {
                      EXPECT_FALSE(result->has_value());  // once
                      *result = std::move(replies);
                    });
    });
  }
  Replies Read(std::vector<GraphRead> reads,
               absl::Duration timeout = absl::Seconds(60)) {
    std::optional<Replies> result;
    Begin(std::move(reads), timeout, &result);
    EXPECT_TRUE(fleet_->world.RunUntil([&] { return result.has_value(); },
                                       timeout + absl::Seconds(5)));
    return result.has_value() ? *std::move(result)
                              : absl::InternalError("no answer at all");
  }
  // The rows 3, 0 and 9 of each partition.
  std::vector<GraphRead> ReadAll() {
    std::vector<GraphRead> reads;
    for (uint32_t p = 0; p < kPartitions; ++p) {
      reads.push_back(ReadX(p, {3, 0, 9}));
    }
    return reads;
  }
  static void ExpectAll(const GraphClient::Replies& replies) {
    ASSERT_EQ(replies.size(), kPartitions);
    for (uint32_t p = 0; p < kPartitions; ++p) {
      float x[3];
      ASSERT_EQ(replies[p].size(), sizeof(x));
      std::memcpy(x, replies[p].data(), sizeof(x));
      EXPECT_EQ(x[0], 12.0f + p);
      EXPECT_EQ(x[1], 0.0f + p);
      EXPECT_EQ(x[2], 36.0f + p);
    }
  }

  // What stands before the first server; empty: nothing.
  std::function<std::unique_ptr<StreamAcceptor>(StreamAcceptor*)> lies_;
  std::optional<SimFleet> fleet_;
  SimExecutor* trainer_ = nullptr;
  std::shared_ptr<Strand> strand_;
  std::shared_ptr<ServerFleet> servers_;
  std::shared_ptr<AcceptAll> events_ = std::make_shared<AcceptAll>();
  std::shared_ptr<GraphClient> client_;
};

TEST_F(GraphClientTest, AsksTheOwners) {
  Start(1, {{0, 2}, {1}, {3}});
  const auto replies = Read(ReadAll());
  ASSERT_TRUE(replies.ok()) << replies.status();
  ExpectAll(*replies);
  EXPECT_EQ(client_->calls_made(), 4u);
}

TEST_F(GraphClientTest, FinalAnswersNameTheServer) {
  Start(2, {{0, 1}, {2, 3}});
  auto reads = ReadAll();
  reads.push_back(ReadX(3, {10}));
  const auto replies = Read(std::move(reads));
  EXPECT_EQ(replies.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(replies.status().message()),
              HasSubstr("server server1:1, which alone says so: row 10"));
}

// Answers every read of the graph by an error.
class RefusingReads final : public StreamAcceptor {
 public:
  RefusingReads(StreamAcceptor* honest, absl::StatusCode code)
      : honest_(honest), code_(code) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (method == StreamMethod::kData) {
      stream = std::make_shared<Refusing>(std::move(stream), code_);
    }
    return honest_->Accept(method, std::move(caller), std::move(stream), why);
  }

 private:
  class Refusing final : public Stream {
   public:
    Refusing(std::shared_ptr<Stream> stream, absl::StatusCode code)
        : stream_(std::move(stream)), code_(code) {}
    absl::Status Send(OutgoingMessage message) override {
      v1::CallError error;
      error.set_code(static_cast<int32_t>(code_));
      error.set_message("a lie");
      OutgoingMessage lie;
      lie.kind = MessageKind::kCallError;
      lie.call_id = message.call_id;
      lie.header = error.SerializeAsString();
      return stream_->Send(std::move(lie));
    }
    size_t queued_bytes() const override { return stream_->queued_bytes(); }
    void Close(absl::Status why) override { stream_->Close(std::move(why)); }

   private:
    const std::shared_ptr<Stream> stream_;
    const absl::StatusCode code_;
  };
  StreamAcceptor* const honest_;
  const absl::StatusCode code_;
};

TEST_F(GraphClientTest, NoErrorOfOneOwnerEndsARead) {
  absl::StatusCode code{};
  lies_ = [&code](StreamAcceptor* honest) {
    return std::make_unique<RefusingReads>(honest, code);
  };
  for (int number = 1; number <= 16; ++number) {
    SCOPED_TRACE(number);
    code = static_cast<absl::StatusCode>(number);
    if (fleet_.has_value()) {
      client_.reset();
      servers_.reset();
      strand_.reset();
      fleet_.reset();
    }
    Start(6, {{}, {}});
    const auto replies = Read(ReadAll());
    ASSERT_TRUE(replies.ok()) << replies.status();
    ExpectAll(*replies);
  }
}

// The other owner of its partitions is down when the first one lies.
TEST_F(GraphClientTest, AnErrorOfOneOwnerWaitsForTheOther) {
  lies_ = [](StreamAcceptor* honest) {
    return std::make_unique<RefusingReads>(honest,
                                           absl::StatusCode::kOutOfRange);
  };
  Start(7, {{}, {}});
  ASSERT_TRUE(Read(ReadAll()).ok());
  fleet_->Crash(*fleet_->servers[1]);
  std::optional<Replies> result;
  Begin(ReadAll(), absl::Seconds(60), &result);
  fleet_->world.RunUntil([] { return false; }, absl::Seconds(3));
  EXPECT_FALSE(result.has_value());
  fleet_->Restart(*fleet_->servers[1]);
  ASSERT_TRUE(fleet_->world.RunUntil([&] { return result.has_value(); },
                                     absl::Seconds(60)));
  ASSERT_TRUE(result->ok()) << result->status();
  ExpectAll(**result);
}

TEST_F(GraphClientTest, ADeadOwnersCallsGoToAnother) {
  Start(3, {{}, {0, 1, 2, 3}});
  ASSERT_TRUE(Read(ReadAll()).ok());
  std::optional<Replies> result;
  Begin(ReadAll(), absl::Seconds(60), &result);
  while (fleet_->network.counts().delivered == 0) fleet_->world.Step();
  fleet_->Crash(*fleet_->servers[0]);
  ASSERT_TRUE(fleet_->world.RunUntil([&] { return result.has_value(); },
                                     absl::Seconds(60)));
  ASSERT_TRUE(result->ok()) << result->status();
  ExpectAll(**result);
}

// No owner is left: an error within the deadline, and calls go on when it is
// back.
TEST_F(GraphClientTest, EndsByTheDeadline) {
  Start(4, {{0, 1}, {2, 3}});
  ASSERT_TRUE(Read(ReadAll()).ok());
  fleet_->Crash(*fleet_->servers[1]);
  const absl::Time begun = fleet_->world.now();
  const auto replies = Read(ReadAll(), absl::Seconds(7));
  EXPECT_EQ(replies.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(replies.status().message()), HasSubstr("server1:1"));
  EXPECT_LE(fleet_->world.now() - begun, absl::Seconds(8));
  std::optional<Replies> result;
  Begin(ReadAll(), absl::Seconds(60), &result);
  fleet_->world.RunUntil([] { return false; }, absl::Seconds(3));
  EXPECT_FALSE(result.has_value());
  fleet_->Restart(*fleet_->servers[1]);
  ASSERT_TRUE(fleet_->world.RunUntil([&] { return result.has_value(); },
                                     absl::Seconds(60)));
  ASSERT_TRUE(result->ok()) << result->status();
  ExpectAll(**result);
}

// Streams that break and bits that flip cost time, not answers.
TEST_F(GraphClientTest, AnswersAreRightOnABadNetwork) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    SimNetworkFaults faults;
    faults.cut = 0.02;
    faults.corrupt = 0.02;
    faults.refuse_connect = 0.1;
    if (fleet_.has_value()) {
      client_.reset();
      servers_.reset();
      strand_.reset();
      fleet_.reset();
    }
    Start(100 + seed, {{0, 1, 2}, {2, 3, 0}, {1, 3}}, faults);
    uint64_t answered = 0;
    for (int i = 0; i < 20; ++i) {
      const auto replies = Read(ReadAll());
      if (!replies.ok()) {
        EXPECT_EQ(replies.status().code(), absl::StatusCode::kDeadlineExceeded)
            << replies.status();
        continue;
      }
      ++answered;
      ExpectAll(*replies);
    }
    EXPECT_GE(answered, 18u);
  }
}

TEST_F(GraphClientTest, ClosingFailsWhatIsOpen) {
  Start(5, {{}});
  std::optional<Replies> result;
  Begin(ReadAll(), absl::Seconds(60), &result);
  strand_->Post([this] { client_->Close(); });
  ASSERT_TRUE(fleet_->world.RunUntil([&] { return result.has_value(); },
                                     absl::Seconds(1)));
  EXPECT_EQ(result->status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Read(ReadAll()).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tributary
