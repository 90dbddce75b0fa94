// An honest job reads mutable rows beside a hostile one that has the server
// work as much as it can, in virtual time: a step of a call keeps one of the
// server's data threads busy for as long as it is charged.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/abuse/row_abuser.h"

namespace tributary {
namespace {

constexpr absl::Duration kMeasured = absl::Milliseconds(400);

// A server with one data thread, and a job that reads rows one call after the
// other: about 1200 a second while it is alone.
class World {
 public:
  World() : fleet_(1) {
    fleet_.network.faults().min_latency = absl::Microseconds(300);
    fleet_.network.faults().max_latency = absl::Microseconds(500);
    SimServerOptions options;
    options.graph.num_nodes = 3;
    options.graph.edges = {{1, 0}, {2, 0}};
    options.graph.x_dim = 16;
    options.graph.x.resize(size_t{3} * 16);
    options.tensor_memory = size_t{256} << 20;
    options.data_threads = 1;
    server_ = &fleet_.Add(options);
    ConnectHonest();
  }
  ~World() {
    abusers_.clear();
    honest_.reset();
  }

  // `node` names the host that they come from.
  void AddAbuser(RowAbuse abuse, const std::string& node,
                 const std::string& job) {
    SimExecutor* const executor = fleet_.world.AddNode(node);
    RowAbuserOptions options;
    options.abuse = abuse;
    options.job = job;
    options.server = server_->address;
    options.incarnation = server_->incarnation;
    options.schema = &server_->graph->schema();
    abusers_.push_back(std::make_unique<RowAbuser>(
        fleet_.network.TransportOf(executor), executor, options));
    abusers_.back()->Start();
    const RowAbuser* const last = abusers_.back().get();
    EXPECT_TRUE(fleet_.world.RunUntil([last] { return last->started(); },
                                      absl::Minutes(2)));
  }

  struct Result {
    int reads = 0;        // of the honest job
    absl::Duration busy;  // the data thread
  };
  Result Measure() {
    reads_ = 0;
    const absl::Duration before = server_->service->data_time();
    const absl::Time end = fleet_.world.now() + kMeasured;
    bool over = false;
    fleet_.world.Schedule(-1, end, [&over] { over = true; });
    fleet_.world.RunUntil([&over] { return over; }, 2 * kMeasured);
    return {reads_, server_->service->data_time() - before};
  }

 private:
  void ConnectHonest() {
    SimExecutor* const node = fleet_.world.AddNode("honest");
    v1::AttemptRef ref;
    ref.set_job("honest");
    const auto& digest = server_->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(1);
    ref.set_client(1);
    honest_ = std::make_unique<TensorCaller>(
        fleet_.network.TransportOf(node), server_->address, node,
        [this](const auto& done) {
          fleet_.world.RunUntil(done, absl::Seconds(60));
        },
        ref);
    v1::TensorMember member;
    member.set_address(server_->address.ToString());
    member.set_incarnation(server_->incarnation);
    ASSERT_TRUE(honest_->Open(1, {member}, 0).ok());
    ASSERT_TRUE(honest_->Create(FloatSpec("t", 1000, 64)).ok());
    ReadOn();
  }

  void ReadOn() {
    const std::vector<uint64_t> rows = {1, 5, 70, 99, 500, 640, 800, 999};
    v1::ReadRowsRequest request;
    request.set_name("t");
    request.set_num_rows(rows.size());
    request.set_max_reply_bytes(1 << 20);
    request.set_timeout_ms(60'000);
    honest_->Start<v1::ReadRowsReply>(
        MessageKind::kReadRowsRequest, request,
        RowsAndValues<uint8_t>(rows, {}), [this](const auto& reply) {
          if (absl::IsCancelled(reply.status())) return;  // the end
          ASSERT_TRUE(reply.ok()) << reply.status();
          ++reads_;
          ReadOn();
        });
  }

  SimFleet fleet_;
  SimServer* server_ = nullptr;
  std::unique_ptr<TensorCaller> honest_;
  std::vector<std::unique_ptr<RowAbuser>> abusers_;
  int reads_ = 0;
};

class FairRows : public testing::TestWithParam<NamedRowAbuse> {
 protected:
  void SetUp() override { SetLogLevel(LogLevel::kOff); }
  static void ExpectHalf(World& world, int alone) {
    const World::Result beside = world.Measure();
    EXPECT_GE(beside.reads, alone / 2);
    // The abuse is one.
    EXPECT_GE(beside.busy, 0.5 * kMeasured);
    std::printf("%d reads beside %s, %d alone; busy %.2f\n", beside.reads,
                GetParam().name, alone,
                absl::FDivDuration(beside.busy, kMeasured));
  }
};

INSTANTIATE_TEST_SUITE_P(Each, FairRows, testing::ValuesIn(RowAbuses()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(FairRows, AnHonestJobKeepsHalfOfItsRate) {
  World world;
  const int alone = world.Measure().reads;
  EXPECT_GT(alone, 300);
  world.AddAbuser(GetParam().abuse, "abuser", "abuser");
  ExpectHalf(world, alone);
}

// Without certificates a caller is a host: jobs of one share what it is due.
TEST_P(FairRows, AlsoBesideAnotherJobOfTheSameHost) {
  World world;
  const int alone = world.Measure().reads;
  world.AddAbuser(GetParam().abuse, "honest", "abuser");
  ExpectHalf(world, alone);
}

// The name of a job takes nothing from other callers.
TEST(ManyJobs, OfACallerGetWhatIsDueToOne) {
  SetLogLevel(LogLevel::kOff);
  World world;
  const int alone = world.Measure().reads;
  for (int i = 0; i < 6; ++i) {
    world.AddAbuser(RowAbuse::kWideReads, "abuser",
                    absl::StrCat("made-up-", i));
  }
  EXPECT_GE(world.Measure().reads, alone / 2);
}

}  // namespace
}  // namespace tributary
