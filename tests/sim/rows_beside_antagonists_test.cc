// A job's rows beside another job's calls that leave memory behind.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/observe/log.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/antagonists.h"

namespace tributary {
namespace {

constexpr absl::Duration kMeasured = absl::Seconds(20);
constexpr absl::Duration kAgainAfter = absl::Milliseconds(20);

// One rank of an honest job, on one server with small budgets.
class RowsBeside {
 public:
  RowsBeside(uint64_t seed, int64_t abuses) : fleet_(seed) {
    SimServerOptions options;
    options.graph.num_nodes = 2;
    options.graph.edges = {{1, 0}};
    options.data_budget = size_t{512} << 10;
    options.tensor_memory = size_t{1} << 20;
    server_ = &fleet_.Add(options);
    SimExecutor* const node = fleet_.world.AddNode("honest");
    fleet_.network.SetIdentity(node, {Role::kTrainer, "honest"});
    v1::AttemptRef ref;
    const auto& digest = server_->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(1);
    ref.set_client(7);
    caller_ = std::make_unique<TensorCaller>(
        fleet_.network.TransportOf(node), server_->address, node,
        [this](const auto& done) {
          fleet_.world.RunUntil(done, absl::Minutes(2));
        },
        ref);
    antagonists_ = std::make_unique<Antagonists>(
        &fleet_, abuses, std::vector<Address>{server_->address},
        *server_->graph, /*certificates=*/true);
  }

  // Returns how many rounds the job makes in a time.
  int Rounds() {
    v1::TensorMember member;
    member.set_address(server_->address.ToString());
    member.set_incarnation(server_->incarnation);
    EXPECT_TRUE(caller_->Open(1, {member}, 0).ok());
    EXPECT_TRUE(caller_->Create(FloatSpec("t", 100, 4)).ok());
    EXPECT_TRUE(caller_->Attach("t", v1::SPARSE_SGD).ok());
    antagonists_->Start();
    RunFor(absl::Seconds(5));  // they fill what they can
    const absl::Time end = fleet_.world.now() + kMeasured;
    int rounds = 0;
    while (fleet_.world.now() < end && !::testing::Test::HasFailure()) {
      Round(static_cast<uint64_t>(++rounds));
    }
    const TensorStore& tensors = server_->service->tensors();
    EXPECT_LE(tensors.staging().used(), tensors.staging().limit());
    return rounds;
  }
  uint64_t abuses() const { return antagonists_->messages_sent(); }

 private:
  void RunFor(absl::Duration time) {
    fleet_.world.RunUntil([] { return false; }, time);
  }
  template <typename Reply, typename Request>
  void Ask(MessageKind kind, const Request& request,
           const std::vector<uint8_t>& payload = {}) {
    while (true) {
      const auto reply = caller_->Ask<Reply>(kind, request, payload);
      if (reply.ok()) return;
      if (!absl::IsResourceExhausted(reply.status())) {
        ADD_FAILURE() << reply.status();
        return;
      }
      RunFor(kAgainAfter);  // as a client does
    }
  }
  // Writes, pushes gradients, reads and meets.
  void Round(uint64_t round) {
    std::vector<uint64_t> rows;
    for (uint64_t row = 0; row < 100; ++row) rows.push_back(row);
    const auto payload =
        RowsAndValues(rows, std::vector<float>(4 * rows.size(), 1));
    v1::WriteRowsRequest write;
    write.set_name("t");
    write.set_num_rows(rows.size());
    write.set_sequence(round);
    write.set_oldest_open(round);
    Ask<v1::WriteRowsReply>(MessageKind::kWriteRowsRequest, write, payload);
    v1::PushRoundRequest push;
    push.set_round(round);
    push.set_closes(true);
    push.add_pushes()->set_name("t");
    push.mutable_pushes(0)->set_num_rows(rows.size());
    push.mutable_pushes(0)->mutable_step()->set_learning_rate(0.1);
    Ask<v1::PushRoundReply>(MessageKind::kPushRoundRequest, push, payload);
    v1::ReadRowsRequest read;
    read.set_name("t");
    read.set_num_rows(rows.size());
    read.set_after_round(round);
    read.set_max_reply_bytes(1 << 20);
    read.set_timeout_ms(60'000);
    Ask<v1::ReadRowsReply>(MessageKind::kReadRowsRequest, read,
                           RowsAndValues<uint8_t>(rows, {}));
    v1::MeetRequest meet;
    meet.set_sequence(round);
    meet.set_purpose("barrier");
    meet.set_value(std::string(1000, 'v'));
    meet.set_timeout_ms(60'000);
    Ask<v1::MeetReply>(MessageKind::kMeetRequest, meet);
  }

  SimFleet fleet_;
  SimServer* server_ = nullptr;
  std::unique_ptr<TensorCaller> caller_;
  std::unique_ptr<Antagonists> antagonists_;
};

TEST(RowsBesideAntagonists, KeepHalfOfTheirRate) {
  SetLogLevel(LogLevel::kOff);
  for (const uint64_t seed : {1, 2, 3}) {
    const int alone = RowsBeside(seed, 0).Rounds();
    EXPECT_GT(alone, 100);
    RowsBeside beside(seed, kRowMemory);
    EXPECT_GE(beside.Rounds(), alone / 2) << "seed " << seed;
    EXPECT_GT(beside.abuses(), 500u);
  }
}

}  // namespace
}  // namespace tributary
