// What the certificate of one job's trainer must not take from others by
// reading nothing and by having sessions planned: a sentence each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "common/proto/graph_reads.pb.h"
#include "common/proto/session.pb.h"
#include "common/proto/wire.pb.h"
#include "tests/server/stolen_certificate.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kBudget = size_t{128} << 10;
constexpr int kStreams = 64;  // of the thief, each from a host of its own

// One stream of any method, which counts what comes.
class Calls final : public StreamHandler {
 public:
  static std::shared_ptr<Calls> Connect(CallerWorld& world, CallerPtr caller,
                                        StreamMethod method, bool reads) {
    auto calls = std::make_shared<Calls>();
    calls->stream_ = world.transport()->Connect(
        world.AddressFor(std::move(caller), reads), method, calls);
    return calls;
  }
  void Send(MessageKind kind, const google::protobuf::MessageLite& header,
            const std::vector<int64_t>& payload = {}) {
    OutgoingMessage message;
    message.kind = kind;
    message.call_id = ++sent_;
    message.header = header.SerializeAsString();
    const auto owner = std::make_shared<const std::vector<int64_t>>(payload);
    message.payload = {reinterpret_cast<const uint8_t*>(owner->data()),
                       owner->size() * sizeof(int64_t)};
    message.payload_owner = owner;
    stream_->Send(std::move(message)).IgnoreError();
  }
  void OnMessage(IncomingMessage& message) override {
    ++(message.kind() == MessageKind::kCallError ? errors : replies);
  }
  void OnClosed(const absl::Status& why) override { why_closed = why; }

  int replies = 0;
  int errors = 0;
  absl::Status why_closed;

 private:
  std::shared_ptr<Stream> stream_;
  uint64_t sent_ = 0;
};

class StolenShares : public StolenCertificate {
 protected:
  explicit StolenShares(SamplerServiceOptions options = SmallBudgets())
      : StolenCertificate(std::move(options)) {}
  static SamplerServiceOptions SmallBudgets() {
    SamplerServiceOptions options = Options();
    options.answer_budget = options.control_budget = options.data_budget =
        options.plan_budget = kBudget;
    options.admission.queued = 4096;
    return options;
  }

  size_t Used(const std::string& budget) {
    for (const BudgetState& state : world_.service().shared_budgets()) {
      if (state.name == budget) return state.used;
    }
    ADD_FAILURE() << "no budget " << budget;
    return 0;
  }
  // Expects that the thief holds something, and no more than its part.
  void ExpectAShareOf(const std::string& budget) {
    EXPECT_GT(Used(budget), kBudget / 4);
    EXPECT_LE(Used(budget), kBudget / 2);
  }

  // Returns the thief's streams, which read nothing, after each has sent.
  template <typename Send>
  std::vector<std::shared_ptr<Calls>> ReadsNothing(StreamMethod method,
                                                   Send send) {
    std::vector<std::shared_ptr<Calls>> streams;
    for (int i = 0; i < kStreams; ++i) {
      streams.push_back(Calls::Connect(world_, ThiefAt(i), method, false));
      send(*streams.back());
    }
    Run();
    return streams;
  }
  std::shared_ptr<Calls> Victim(StreamMethod method) {
    return Calls::Connect(world_, victim_, method, true);
  }
  static void Describe(Calls& calls) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    request.set_any(true);
    calls.Send(MessageKind::kDescribeRequest, request);
  }
  void Locate(Calls& calls) const {
    const std::vector<int64_t> ids(256, 0);
    v1::LocateNodesRequest request;
    request.set_layout_digest(
        std::string(graph_->schema().layout_digest.begin(),
                    graph_->schema().layout_digest.end()));
    request.set_num_ids(ids.size());
    request.set_timeout_ms(60'000);
    calls.Send(MessageKind::kLocateNodesRequest, request, ids);
  }
};

// Each stream has 16 KiB of small answers of its own, 32 messages; what is
// beyond them counts.
TEST_F(StolenShares, LeavesOthersRoomForUnreadAnswers) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(world_.Trainer(ThiefAt(i), /*reads=*/false));
    for (uint64_t grant = 0; grant < 40; ++grant) {
      streams.back()->Cancel(grant);
    }
  }
  Run();
  ExpectAShareOf("answer budget");
  EXPECT_TRUE(std::any_of(streams.begin(), streams.end(), [](const auto& s) {
    return absl::IsResourceExhausted(s->why_closed());
  }));
  // It is behind with its reading for a moment.
  const auto victim = world_.Trainer(victim_, /*reads=*/false);
  for (uint64_t grant = 0; grant < 50; ++grant) victim->Cancel(grant);
  Run();
  EXPECT_FALSE(victim->closed()) << victim->why_closed();
}

TEST_F(StolenShares, LeavesOthersDescriptions) {
  const auto streams = ReadsNothing(StreamMethod::kControl, [](Calls& calls) {
    for (int i = 0; i < 16; ++i) Describe(calls);
  });
  ExpectAShareOf("control budget");
  const auto victim = Victim(StreamMethod::kControl);
  for (int i = 0; i < 4; ++i) Describe(*victim);
  Run();
  EXPECT_EQ(victim->replies, 4);
}

TEST_F(StolenShares, LeavesOthersReadsOfTheGraph) {
  const auto streams = ReadsNothing(StreamMethod::kData, [&](Calls& calls) {
    for (int i = 0; i < 8; ++i) Locate(calls);
  });
  ExpectAShareOf("data budget");
  const auto victim = Victim(StreamMethod::kData);
  for (int i = 0; i < 4; ++i) Locate(*victim);
  Run();
  EXPECT_EQ(victim->replies, 4);
}

// What it holds comes back soon after others, or itself, found no room.
TEST_F(StolenShares, LosesStreamsThatTakeNothing) {
  const auto streams = ReadsNothing(StreamMethod::kData, [&](Calls& calls) {
    for (int i = 0; i < 8; ++i) Locate(calls);
  });
  world_.RunFor(absl::Seconds(3));
  Locate(*Calls::Connect(world_, thief_, StreamMethod::kData, true));
  world_.RunFor(absl::Seconds(1));
  EXPECT_EQ(Used("data budget"), 0u);
  EXPECT_THAT(streams.front()->why_closed.ToString(),
              StartsWith("RESOURCE_EXHAUSTED"));
}

class StolenBatches : public StolenShares {
 protected:
  StolenBatches() : StolenShares(FewBatches()) {}
  static SamplerServiceOptions FewBatches() {
    SamplerServiceOptions options = Options();
    options.admission.running = options.admission.computing = 8;
    options.admission.running_per_stream = 8;
    options.admission.queued = 4096;
    options.memory_budget = size_t{192} << 10;
    return options;
  }
};

// No stream is closed for it: that happens after two seconds.
TEST_F(StolenBatches, LeavesOthersRoomForBatches) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(world_.Trainer(ThiefAt(i), /*reads=*/false));
    streams.back()->Open(Session(1), "");
    for (uint64_t b = 0; b < 16; ++b) streams.back()->Ask(Session(1), b);
  }
  Run();
  EXPECT_GT(world_.service().budget().used(), size_t{32} << 10);
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(1), "");
  for (uint64_t b = 0; b < 16; ++b) victim->Ask(Session(1), b);
  Run();
  for (uint64_t b = 0; b < 16; ++b) {
    EXPECT_THAT(victim->answer(b), StartsWith("ready ")) << b;
  }
}

// A credit keeps its session's plan, whatever the cache evicts.
TEST_F(StolenShares, LeavesOthersRoomForPlans) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  size_t refused = 0;
  for (uint64_t i = 0; i < kStreams; ++i) {
    streams.push_back(world_.Trainer(ThiefAt(static_cast<int>(i))));
    streams.back()->Open(Session(i), "");
    streams.back()->Ask(Session(i), 0);
    Run();
    const std::string answer = streams.back()->answer(0);
    if (answer.empty()) continue;
    EXPECT_THAT(answer, StartsWith("error RESOURCE_EXHAUSTED plan budget"));
    EXPECT_THAT(answer, HasSubstr(" retry"));
    ++refused;
  }
  EXPECT_GT(refused, 0u);
  ExpectAShareOf("plan budget");
  const auto victim = world_.Trainer(victim_);
  for (uint64_t i = 0; i < 4; ++i) {
    victim->Open(Session(1000 + i), "");
    auto credit = ScriptedTrainer::MakeCredit(Session(1000 + i), 0, 4096, 9000);
    credit.set_grant(i);
    victim->Send(credit);
    Run();
    EXPECT_EQ(victim->answer(i), "");  // it waits for its turn
  }
}

class StolenSessions : public StolenShares {
 protected:
  StolenSessions() : StolenShares(ManySessions()) {}
  static SamplerServiceOptions ManySessions() {
    SamplerServiceOptions options = Options();
    options.max_sessions = 256;
    options.admission.queued = 4096;
    return options;
  }
  // The graph's name is for messages alone, and not compared.
  TrainerSession LargeSession(uint64_t seed) const {
    TrainerSession session = Session(seed);
    v1::SessionSpec spec;
    EXPECT_TRUE(spec.ParseFromString(session.spec));
    spec.set_graph(std::string(kLarge, 'x'));
    session.spec = spec.SerializeAsString();
    session.identity = SessionIdentity(session.spec);
    return session;
  }
  static constexpr size_t kLarge = 900'000;
};

// The cache has 64 MiB, and a large session is of its specification twice.
TEST_F(StolenSessions, FillsNoMemoryWithPlans) {
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(0), "");
  Run();
  const auto thief = world_.Trainer(thief_);
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    thief->Open(LargeSession(seed), "");
    Run();
  }
  size_t kept = 0;
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    auto credit =
        ScriptedTrainer::MakeCredit(LargeSession(seed), 0, 4096, 9000);
    credit.set_grant(seed);
    thief->Send(credit);
    Run();
    if (thief->answer(seed) != "unknown") ++kept;
  }
  EXPECT_FALSE(thief->closed()) << thief->why_closed();
  EXPECT_GT(kept, 16u);
  EXPECT_LE(kept, (size_t{64} << 20) / (2 * kLarge));
  victim->Ask(Session(0), 1);
  Run();
  EXPECT_EQ(victim->answer(1), "");  // it waits for its turn
}

// Each of its streams wants a plan; they are made one after the other, and one
// of somebody else is made between two of them.
TEST_F(StolenSessions, KeepsNobodyWaitingForAPlan) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  for (uint64_t i = 0; i < 120; ++i) {
    streams.push_back(world_.Trainer(ThiefAt(static_cast<int>(i))));
  }
  const auto victim = world_.Trainer(victim_);
  Run();
  for (uint64_t i = 0; i < streams.size(); ++i) {
    streams[i]->Open(Session(i), "");
    streams[i]->Ask(Session(i), 0);
  }
  victim->Open(Session(1000), "");
  victim->Ask(Session(1000), 0);
  ASSERT_TRUE(world_.Until([&] {
    const auto jobs = world_.service().jobs();
    return std::any_of(jobs.begin(), jobs.end(), [](const JobState& job) {
      return job.name == "victim";
    });
  }));
  EXPECT_LE(world_.service().queued(), 20u);
  Run();
  EXPECT_EQ(world_.service().queued(), 121u);
}

}  // namespace
}  // namespace tributary
