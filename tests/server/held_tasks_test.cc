// A server whose threads are busy: what it still says, and what it takes.
#include <deque>
#include <string>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {
namespace {

// Runs nothing until it is told to.
class HeldExecutor final : public Executor {
 public:
  explicit HeldExecutor(Executor* timers) : timers_(timers) {}
  const Clock& clock() const override { return timers_->clock(); }
  void Post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId PostAt(absl::Time when, Task task) override {
    return timers_->PostAt(when, [this, task = std::move(task)]() mutable {
      Post(std::move(task));
    });
  }
  bool CancelTimer(TimerId id) override { return timers_->CancelTimer(id); }

  void RunAll() {
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  Executor* const timers_;
  std::deque<Task> tasks_;
};

class HeldTasksTest : public testing::Test {
 protected:
  HeldTasksTest() {
    GraphSpec graph;
    graph.num_nodes = 2;
    graph.edges = {{1, 0}};
    graph_ = BuildGraph(graph, {});
    SpecOptions options;
    options.num_neighbors = {1};
    options.batch_size = 1;
    session_ = MakeSession(graph_->schema(), options, {0, 1});
  }

  std::shared_ptr<ScriptedTrainer> Connect(Executor* protocol,
                                           Executor* tasks) {
    SamplerServiceOptions options;
    SamplerServiceEnvironment environment;
    environment.executor = tasks;
    environment.protocol_executor = protocol;
    environment.leaf_executor = server_;
    service_ = std::make_unique<SamplerService>(options, environment,
                                                ServedGraph{graph_});
    network_.Listen(server_, address_, service_.get());
    return ScriptedTrainer::Connect(
        network_.TransportOf(world_.AddNode("trainer")), address_);
  }
  void RunFor(absl::Duration time) {
    world_.RunUntil([] { return false; }, time);
  }

  SimScheduler world_{3};
  SimNetwork network_{&world_};
  SimExecutor* server_ = world_.AddNode("server");
  HeldExecutor held_{server_};
  const Address address_{"server", 1};
  std::shared_ptr<const Graph> graph_;
  TrainerSession session_;
  std::unique_ptr<SamplerService> service_;
};

// Without Progress the trainer would take the server for dead.
TEST_F(HeldTasksTest, ProgressIsToldUntilACancelledGrantIsBack) {
  auto trainer = Connect(server_, &held_);
  trainer->Open(session_);
  trainer->Ask(session_, 0, 4096, 60000);
  RunFor(absl::Seconds(1));
  EXPECT_GE(trainer->progress_count(0), 9);
  trainer->Cancel(0);
  RunFor(absl::Seconds(1));
  EXPECT_GE(trainer->progress_count(0), 18);
  EXPECT_EQ(trainer->answer(0), "");

  held_.RunAll();
  RunFor(absl::Milliseconds(50));
  EXPECT_EQ(trainer->answer(0), "returned");
  const int told = trainer->progress_count(0);
  RunFor(absl::Seconds(1));
  EXPECT_EQ(trainer->progress_count(0), told);
  EXPECT_EQ(service_->budget().used(), 0u);
  EXPECT_EQ(service_->active(), 0u);
}

TEST_F(HeldTasksTest, MessagesThatWaitAreBoundedByTheirBytes) {
  auto trainer = Connect(&held_, server_);
  const std::string header(size_t{1} << 20, 'h');
  for (int i = 0; i < 15; ++i) trainer->Send(MessageKind::kCredit, header);
  RunFor(absl::Seconds(1));
  EXPECT_FALSE(trainer->closed());
  for (int i = 0; i < 2; ++i) trainer->Send(MessageKind::kCredit, header);
  RunFor(absl::Seconds(1));
  EXPECT_TRUE(trainer->closed());
  EXPECT_EQ(trainer->why_closed().code(), absl::StatusCode::kResourceExhausted);
  held_.RunAll();
  RunFor(absl::Seconds(1));
}

}  // namespace
}  // namespace tributary
