// One rank of a training job over an in-memory graph, for tests of Train().
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_JOB_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_JOB_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/testing/in_memory_loader.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {

// Returns a path in the test's temporary folder.
inline std::string Folder(const std::string& name) {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
}

// Keeps the reports of a run.
class Reports final : public TrainObserver {
 public:
  void OnRound(std::string_view phase, uint64_t, uint64_t, uint64_t) override {
    const int round = ++rounds[std::string(phase)];
    if (on_round) on_round(phase, round);
  }
  void OnEpoch(const EpochReport& report) override { epochs.push_back(report); }
  void OnPhase(StepPhase phase, absl::Duration time) override {
    phases[phase].push_back(time);
  }
  void OnStep(uint64_t step) override { steps.push_back(step); }
  void OnResume(const std::string& path, uint64_t step) override {
    resumed_from = path;
    resumed_step = step;
  }
  void OnNote(const std::string& note) override { notes.push_back(note); }
  std::string resumed_from;
  uint64_t resumed_step = 0;
  std::vector<std::string> notes;
  std::vector<EpochReport> epochs;
  std::map<std::string, int> rounds;  // completed, by phase
  std::map<StepPhase, std::vector<absl::Duration>> phases;
  std::vector<uint64_t> steps;
  // Called after each, with their number in the phase.
  std::function<void(std::string_view phase, int round)> on_round;
};

inline std::shared_ptr<InMemoryGraph> SmallGraph() {
  return std::make_shared<InMemoryGraph>(CommunityGraph(4, 40, 1));
}

// One rank of a job on a graph of 4 x 40 nodes, 54 of them to train on.
class Job {
 public:
  explicit Job(const RankEnvironment& environment = RankEnvironment()) {
    auto connected = ProcessGroup::Connect(environment, absl::Seconds(20));
    EXPECT_TRUE(connected.ok()) << connected.status();
    group_ = *std::move(connected);
    loader_options.num_neighbors = {-1, -1};
    loader_options.rank = group_->rank();
    loader_options.world = group_->world();
    loader_options.random_seed = 9;
    options = {.random_seed = 3, .epochs = 4, .model = {.hidden_channels = 8}};
  }

  absl::StatusOr<TrainResult> Run(AfterTraining* after = nullptr) {
    const TrainLoaders loaders = Open();
    return Train(options, loaders, *group_, reports, after);
  }
  absl::StatusOr<TrainPlan> Plan(uint64_t world) {
    const TrainLoaders loaders = Open();
    return PlanTraining(options, loaders, *group_, reports, world);
  }
  ProcessGroup& group() { return *group_; }
  LoaderStats train_stats() const { return train_->stats(); }
  bool holds_labels() const { return labels_ != nullptr; }
  void Cancel() { train_->Cancel(); }
  // Asks the run to end, as a signal does: any thread.
  void Stop() {
    stop_.store(true);
    for (DistLoader* loader : {train_.get(), valid_.get(), test_.get()}) {
      if (loader != nullptr) loader->Cancel();
    }
  }

  NeighborLoaderOptions loader_options;
  TrainOptions options;
  InMemoryLoaderFaults faults;
  InMemoryLoaderFaults valid_faults;
  std::shared_ptr<const InMemoryGraph> train_graph = SmallGraph();
  std::shared_ptr<const InMemoryGraph> valid_graph = SmallGraph();
  std::shared_ptr<const InMemoryGraph> test_graph = SmallGraph();
  std::string valid_name = "valid";
  std::shared_ptr<const InMemoryGraph> labels_graph;  // null: no such loader
  std::function<std::string(uint64_t epoch, uint64_t index)> sample_again;
  Reports reports;
  bool with_valid = true;
  DistContext* context = nullptr;
  std::atomic<bool> loader_made{false};

 private:
  TrainLoaders Open() {
    train_ = Loader("train", faults, train_graph);
    valid_ = with_valid ? Loader("valid", valid_faults, valid_graph) : nullptr;
    test_ = Loader("test", {}, test_graph);
    if (labels_graph) labels_ = Loader("train", {}, labels_graph);
    loader_made.store(true);
    return {.train = train_.get(),
            .valid = valid_.get(),
            .test = test_.get(),
            .labels = labels_.get(),
            .release_labels = [this] { labels_.reset(); },
            .valid_name = valid_name,
            .sample_again = sample_again,
            .stop_requested = [this] { return stop_.load(); },
            .context = context};
  }

  std::unique_ptr<DistLoader> Loader(
      const std::string& split, InMemoryLoaderFaults faults,
      std::shared_ptr<const InMemoryGraph> graph = SmallGraph()) {
    loader_options.input_split = split;
    auto loader = MakeInMemoryLoader(std::move(graph), loader_options, faults);
    EXPECT_TRUE(loader.ok()) << loader.status();
    return *std::move(loader);
  }

  std::atomic<bool> stop_{false};
  std::unique_ptr<ProcessGroup> group_;
  std::unique_ptr<DistLoader> train_, valid_, test_, labels_;
};

// A clock on which each reading is 1 ms later: a phase's time is the number of
// its laps.
class CountingClock final : public Clock {
 public:
  absl::Time Now() const override { return now_ += absl::Milliseconds(1); }

 private:
  mutable absl::Time now_ = absl::UnixEpoch();
};

// Returns the bytes of a file; none if it cannot be read.
inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the numbers in a file.
inline std::vector<double> ReadNumbers(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double n; file >> n;) numbers.push_back(n);
  return numbers;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_JOB_H_
