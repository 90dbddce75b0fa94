// Honest jobs keep their shares while antagonists abuse the fleet.
#include "tests/sim/antagonists.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/sampled_graph.h"
#include "tests/sim/sim_trainer.h"

namespace tributary {
namespace {

constexpr int kServers = 3;
constexpr uint64_t kRate = 500'000;  // bytes a second, of each server
constexpr absl::Duration kMeasured = absl::Seconds(12);
// So that costly batches wait all the time.
constexpr absl::Duration kCostlyPause = absl::Milliseconds(20);

// Counts the batches of one job; an error is a failure.
class Counts final : public SimUser {
 public:
  void OnBatch(const BatchView& view) override {
    for (const TensorView& tensor : view.tensors()) bytes += tensor.data.size();
  }
  void OnRelease(const BatchView&) override {}
  void OnError(const absl::Status& why) override { ADD_FAILURE() << why; }
  void OnLeasesFillRing(size_t) override {}

  size_t bytes = 0;
};

// Servers that have two of three partitions each, and so ask each other, paced
// to a stated rate. Each partition has another owner than the first server,
// which may lie.
class Abused {
 public:
  Abused(uint64_t seed, int64_t abuses) : fleet_(seed) {
    schedule_.servers = schedule_.partitions = kServers;
    schedule_.owners = 2;
    schedule_.batches = 4000;
    for (int s = 0; s < kServers; ++s) AddServer(s, abuses);
    if ((abuses & kSlowPeer) != 0) {
      fleet_.network.SetPace(Addresses()[0], StreamMethod::kLeaf,
                             kSlowPeerPace);
    }
    fleet_.Settle();
    antagonists_ = std::make_unique<Antagonists>(
        &fleet_, abuses, Addresses(), *fleet_.servers[0]->graph,
        /*certificates=*/false, kCostlyPause);
    antagonists_->Start();
  }
  ~Abused() {
    for (auto& trainer : trainers_) fleet_.network.Crash(trainer->node());
  }

  void Start(const std::string& job, Counts* counts) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      SimTrainerOptions options;
      options.name = absl::StrCat(job, rank);
      options.session = SimulatedSession(schedule_, 0, rank, 2);
      options.core.buffer_size = 256 << 10;
      options.core.prefetch_size = 8;
      options.client = job;
      options.seed = rank + 1;
      options.max_step = absl::Microseconds(100);
      options.servers = Addresses();
      trainers_.push_back(std::make_unique<SimTrainer>(
          &fleet_.world, &fleet_.network, options, counts));
      Cursor cursor;
      cursor.order = options.session.order_identity();
      trainers_.back()->Run(cursor);
    }
  }
  void RunFor(absl::Duration time) {
    fleet_.world.RunUntil([] { return false; }, time);
  }

 private:
  void AddServer(int number, int64_t abuses) {
    SimServerOptions server;
    server.opened = SimulatedGraph(schedule_, kServers,
                                   PartitionsOfServer(schedule_, number));
    if (number == 0 && (abuses & kLyingPeer) != 0) {
      server.before = [](StreamAcceptor* honest) {
        return MakeLyingPeer(honest, 1);
      };
    }
    server.cores = 1;
    server.memory_budget = 256 << 10;
    server.leaf_budget = 96 << 10;
    server.control_budget = 16 << 10;
    server.max_streams = 24;
    server.max_sessions = 4;
    server.admission.queued = 32;
    server.admission.bytes_per_second = kRate;
    server.admission.weights = JobWeights::Parse("a=2,b=1,*=1").value();
    server.admission.running_per_stream = 8;
    fleet_.Add(server);
  }
  std::vector<Address> Addresses() const {
    std::vector<Address> addresses;
    for (const auto& server : fleet_.servers) {
      addresses.push_back(server->address);
    }
    return addresses;
  }

  Schedule schedule_;
  SimFleet fleet_;
  std::unique_ptr<Antagonists> antagonists_;
  std::vector<std::unique_ptr<SimTrainer>> trainers_;
};

struct Rates {
  double a = 0;
  double b = 0;
};

// Returns the bytes per second that two jobs get beside antagonists, who come
// first.
Rates RatesBeside(uint64_t seed, int64_t abuses) {
  Abused world(seed, abuses);
  world.RunFor(absl::Seconds(1));
  Counts a, b;
  world.Start("a", &a);
  world.Start("b", &b);
  world.RunFor(absl::Seconds(2));
  const size_t a_before = a.bytes, b_before = b.bytes;
  world.RunFor(kMeasured);
  return {static_cast<double>(a.bytes - a_before) /
              absl::ToDoubleSeconds(kMeasured),
          static_cast<double>(b.bytes - b_before) /
              absl::ToDoubleSeconds(kMeasured)};
}

class Antagonism : public testing::TestWithParam<int64_t> {};

// Of a fleet that has two jobs of weights 2 and 1, and a third account for all
// others: what these two get alone, less what the account of the others is due
// where antagonists ask for places. Costly batches are due nothing: a and b use
// less than three quarters of the CPU when they are alone.
TEST_P(Antagonism, LeavesHonestJobsTheirShares) {
  SetLogLevel(LogLevel::kOff);
  const bool others_ask = (GetParam() & kQueuePlaces) != 0;
  const double due = others_ask ? 3.0 / 4 : 1;
  for (const uint64_t seed : {1, 2, 3}) {
    const Rates alone = RatesBeside(seed, 0);
    EXPECT_GT(alone.a + alone.b, 0.85 * kServers * kRate);
    EXPECT_NEAR(alone.a / alone.b, 2, 0.2);
    const Rates beside = RatesBeside(seed, GetParam());
    EXPECT_GE(beside.a, 0.8 * due * alone.a) << "seed " << seed;
    EXPECT_GE(beside.b, 0.8 * due * alone.b) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Antagonism,
                         testing::Values(kUnreadDescribes, kUnreadLeafReplies,
                                         kQueuePlaces, kUnreadAnswers,
                                         kManyStreams, kManySessions,
                                         kLyingPeer, kSlowPeer, kCostlyBatches,
                                         kRowMemory, kAllAbuses));

}  // namespace
}  // namespace tributary
