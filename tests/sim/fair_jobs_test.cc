// Several jobs on one fleet: what each gets, in virtual time, from servers that
// are paced to a stated rate, so that the machine's speed does not matter.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/sampled_graph.h"
#include "tests/sim/sim_trainer.h"

namespace tributary {
namespace {

constexpr int kServers = 2;
constexpr uint64_t kRate = 500'000;  // bytes a second, of each server

// Counts what the trainers of one job get.
class Counts final : public SimUser {
 public:
  void OnBatch(const BatchView& view) override {
    ++batches;
    for (const TensorView& tensor : view.tensors()) bytes += tensor.data.size();
  }
  void OnRelease(const BatchView&) override {}
  void OnError(const absl::Status& why) override { ADD_FAILURE() << why; }
  void OnLeasesFillRing(size_t) override {}

  int batches = 0;
  size_t bytes = 0;
};

struct World {
  explicit World(uint64_t seed, const std::string& weights = "*=1",
                 size_t memory = 256 << 10)
      : fleet(seed) {
    schedule.partitions = kServers;
    schedule.servers = kServers;
    schedule.batches = 4000;
    for (int s = 0; s < kServers; ++s) {
      SimServerOptions server;
      server.opened =
          SimulatedGraph(schedule, kServers, PartitionsOfServer(schedule, s));
      server.memory_budget = memory;
      server.admission.bytes_per_second = kRate;
      server.admission.weights = JobWeights::Parse(weights).value();
      server.admission.running_per_stream = 8;
      fleet.Add(server);
    }
    fleet.Settle();
  }
  ~World() {
    for (auto& trainer : trainers) fleet.network.Crash(trainer->node());
  }

  // Starts its trainers, which count into `counts`.
  std::vector<SimTrainer*> Start(const std::string& job, uint32_t world,
                                 Counts* counts) {
    std::vector<SimTrainer*> of_job;
    for (uint32_t rank = 0; rank < world; ++rank) {
      SimTrainerOptions options;
      options.name = absl::StrCat(job, rank);
      options.session = SimulatedSession(schedule, 0, rank, world);
      options.core.buffer_size = 256 << 10;
      options.core.prefetch_size = 8;
      options.client = job;
      options.seed = rank + 1;
      options.max_step = absl::Microseconds(100);
      for (const auto& server : fleet.servers) {
        options.servers.push_back(server->address);
      }
      trainers.push_back(std::make_unique<SimTrainer>(
          &fleet.world, &fleet.network, options, counts));
      Cursor cursor;
      cursor.order = options.session.order_identity();
      trainers.back()->Run(cursor);
      of_job.push_back(trainers.back().get());
    }
    return of_job;
  }

  // Its trainers stop reading without dying.
  void Stop(const std::vector<SimTrainer*>& job) {
    for (SimTrainer* trainer : job) {
      fleet.world.Freeze(trainer->node()->node());
    }
  }
  void RunFor(absl::Duration time) {
    fleet.world.RunUntil([] { return false; }, time);
  }
  size_t UnreadBytes() {
    size_t bytes = 0;
    for (const auto& server : fleet.servers) {
      bytes += server->service->budget().used();
    }
    return bytes;
  }

  Schedule schedule;
  SimFleet fleet;
  std::vector<std::unique_ptr<SimTrainer>> trainers;
};

// Returns the bytes per second that a job of two trainers gets once it runs.
double RateOf(World& world, const std::string& job) {
  constexpr absl::Duration kTime = absl::Seconds(5);
  Counts counts;
  world.Start(job, 2, &counts);
  world.RunFor(absl::Seconds(1));
  const size_t before = counts.bytes;
  world.RunFor(kTime);
  return static_cast<double>(counts.bytes - before) /
         absl::ToDoubleSeconds(kTime);
}

class FairJobs : public testing::TestWithParam<uint64_t> {};

TEST_P(FairJobs, AJobThatStopsReadingSlowsOnlyItself) {
  World alone(GetParam());
  const double rate = RateOf(alone, "runs");
  // What a batch's room has beside its tensors is paced, and not counted here.
  EXPECT_GT(rate, 0.85 * kServers * kRate);
  EXPECT_LT(rate, kServers * kRate);

  World both(GetParam());
  Counts stopped;
  const auto job = both.Start("stops", 8, &stopped);
  both.RunFor(absl::Seconds(1));
  EXPECT_GT(stopped.batches, 100);
  both.Stop(job);
  both.RunFor(absl::Seconds(2));
  // It has filled all that it may: half of each budget, but for what is too
  // little for one more.
  EXPECT_GT(both.UnreadBytes(), kServers * (80u << 10));
  EXPECT_LE(both.UnreadBytes(), kServers * (128u << 10));
  EXPECT_GE(RateOf(both, "runs"), 0.9 * rate);
}

TEST_P(FairJobs, AJobThatReadsAgainGetsWhatIsItsOwnAndNoMore) {
  World world(GetParam());
  Counts first, second;
  const auto job = world.Start("stops", 2, &first);
  world.RunFor(absl::Seconds(1));
  world.Stop(job);
  world.Start("runs", 2, &second);
  world.RunFor(absl::Seconds(4));
  for (SimTrainer* trainer : job) {
    world.fleet.world.Thaw(trainer->node()->node());
  }
  world.RunFor(absl::Seconds(1));
  const size_t of_first = first.bytes, of_second = second.bytes;
  world.RunFor(absl::Seconds(4));
  const double ratio = static_cast<double>(first.bytes - of_first) /
                       static_cast<double>(second.bytes - of_second);
  EXPECT_GT(ratio, 0.95);
  EXPECT_LT(ratio, 1.05);
}

TEST_P(FairJobs, BytesGoByWeightHoweverManyTrainersAJobHas) {
  World world(GetParam(), "heavy=4,light=1");
  Counts heavy, light;
  world.Start("heavy", 4, &heavy);
  world.Start("light", 8, &light);
  world.RunFor(absl::Seconds(1));
  const size_t of_heavy = heavy.bytes, of_light = light.bytes;
  world.RunFor(absl::Seconds(20));
  const double ratio = static_cast<double>(heavy.bytes - of_heavy) /
                       static_cast<double>(light.bytes - of_light);
  EXPECT_GT(ratio, 3.8);
  EXPECT_LT(ratio, 4.2);
}

// One batch at a time fits. A job that holds that memory and does not read is
// disconnected, stream by stream, and the other has the memory to itself.
TEST_P(FairJobs, WhoHoldsWhatAnotherCannotDoWithoutIsSentAway) {
  World world(GetParam(), "*=1", 96 << 10);
  Counts first, second;
  const auto job = world.Start("stops", 2, &first);
  world.RunFor(absl::Seconds(1));
  EXPECT_GT(first.batches, 10);
  world.Stop(job);
  world.RunFor(absl::Seconds(1));
  world.Start("runs", 2, &second);
  world.RunFor(absl::Seconds(4));
  const int before = second.batches;
  world.RunFor(absl::Seconds(2));
  EXPECT_GT(second.batches - before, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FairJobs, testing::Range<uint64_t>(1, 4));

}  // namespace
}  // namespace tributary
