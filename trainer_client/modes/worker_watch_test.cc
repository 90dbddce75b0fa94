#include "trainer_client/modes/worker_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkerWatchTest : public testing::Test {
 protected:
  WorkerWatchTest() {
    WorkerWatchOptions options;
    for (int i = 0; i < 2; ++i) {
      FakeSampler::Settings settings;
      settings.executor = settings.node =
          world_.AddNode("worker" + std::to_string(i));
      nodes_.push_back(settings.node);
      options.workers.push_back({"worker-" + std::to_string(i), 1});
      workers_.emplace_back(std::move(settings));
      network_.Listen(nodes_[i], options.workers[i], &workers_[i]);
    }
    options.transport = network_.TransportOf(trainer_);
    options.strand = strand_;
    options.serves = [this](const Address&) { return serve_; };
    options.on_hung = [this](const Address& worker) {
      hung_.push_back(worker.host);
      hung_at_ = world_.now();
    };
    watch_ = std::make_shared<WorkerWatch>(options);
    strand_->Post([this] { watch_->Start(); });
  }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(trainer_);
  std::vector<SimExecutor*> nodes_;
  std::deque<FakeSampler> workers_;
  std::shared_ptr<WorkerWatch> watch_;
  bool serve_ = true;
  std::vector<std::string> hung_;
  absl::Time hung_at_;
};

TEST_F(WorkerWatchTest, AWorkerThatStopsIsFoundInTime) {
  Run(absl::Minutes(1));
  EXPECT_THAT(hung_, IsEmpty());
  const absl::Time stopped = world_.now();
  world_.Freeze(nodes_[1]->node());
  Run(absl::Seconds(8));
  EXPECT_THAT(hung_, ElementsAre("worker-1"));
  EXPECT_GE(hung_at_ - stopped, absl::Seconds(4));
  EXPECT_LE(hung_at_ - stopped, absl::Seconds(7));
}

TEST_F(WorkerWatchTest, AShortPauseAndAnEndAreNoHang) {
  world_.Freeze(nodes_[0]->node());
  Run(absl::Seconds(4));
  world_.Thaw(nodes_[0]->node());
  Run(absl::Minutes(1));
  network_.Crash(nodes_[1]);
  Run(absl::Minutes(1));
  EXPECT_THAT(hung_, IsEmpty());
}

TEST_F(WorkerWatchTest, AWorkerThatStartsNeedNotAnswer) {
  serve_ = false;
  world_.Freeze(nodes_[0]->node());
  Run(absl::Minutes(1));
  EXPECT_THAT(hung_, IsEmpty());
}

// A trainer that was suspended finds its own calls too old, and nobody hung.
TEST_F(WorkerWatchTest, ATrainerThatStandsStillBlamesNobody) {
  Run(absl::Seconds(5));
  world_.Freeze(trainer_->node());
  Run(absl::Minutes(1));
  world_.Thaw(trainer_->node());
  Run(absl::Minutes(1));
  EXPECT_THAT(hung_, IsEmpty());
}

}  // namespace
}  // namespace tributary
