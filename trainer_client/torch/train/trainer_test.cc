#include "trainer_client/torch/train/trainer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/testing/in_memory_loader.h"

namespace tributary {
namespace {

std::string Folder(const std::string& name) {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Reports final : public TrainObserver {
 public:
  void OnRound(std::string_view phase, uint64_t, uint64_t, uint64_t) override {
    ++rounds[std::string(phase)];
  }
  void OnEpoch(const EpochReport& report) override { epochs.push_back(report); }
  void OnResume(const std::string& path, uint64_t step) override {
    resumed_from = path;
    resumed_step = step;
  }
  std::string resumed_from;
  uint64_t resumed_step = 0;
  std::vector<EpochReport> epochs;
  std::map<std::string, int> rounds;  // completed, by phase
};

std::shared_ptr<InMemoryGraph> SmallGraph() {
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

  absl::StatusOr<TrainResult> Run() {
    train_ = Loader("train", faults, train_graph);
    valid_ = with_valid ? Loader("valid", valid_faults, valid_graph) : nullptr;
    test_ = Loader("test", {});
    if (labels_graph) labels_ = Loader("train", {}, labels_graph);
    loader_made.store(true);
    return Train(options,
                 {train_.get(), valid_.get(), test_.get(), labels_.get(),
                  [this] { labels_.reset(); }},
                 *group_, reports);
  }
  LoaderStats train_stats() const { return train_->stats(); }
  bool holds_labels() const { return labels_ != nullptr; }
  void Cancel() { train_->Cancel(); }

  NeighborLoaderOptions loader_options;
  TrainOptions options;
  InMemoryLoaderFaults faults;
  InMemoryLoaderFaults valid_faults;
  std::shared_ptr<const InMemoryGraph> train_graph = SmallGraph();
  std::shared_ptr<const InMemoryGraph> valid_graph = SmallGraph();
  std::shared_ptr<const InMemoryGraph> labels_graph;  // null: no such loader
  Reports reports;
  bool with_valid = true;
  std::atomic<bool> loader_made{false};

 private:
  std::unique_ptr<DistLoader> Loader(
      const std::string& split, InMemoryLoaderFaults faults,
      std::shared_ptr<const InMemoryGraph> graph = SmallGraph()) {
    loader_options.input_split = split;
    auto loader = MakeInMemoryLoader(std::move(graph), loader_options, faults);
    EXPECT_TRUE(loader.ok()) << loader.status();
    return *std::move(loader);
  }

  std::unique_ptr<ProcessGroup> group_;
  std::unique_ptr<DistLoader> train_, valid_, test_, labels_;
};

TEST(TrainerTest, LearnsCommunities) {
  Job job;
  job.options.epochs = 20;
  job.options.model.dropout = 0.3;
  job.options.learning_rate = 0.02;
  job.loader_options.num_neighbors = {5, 5};
  job.loader_options.batch_size = 16;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(*result->test, 0.9);
  EXPECT_GE(*result->best_valid, 0.9);
  ASSERT_EQ(job.reports.epochs.size(), 20);
  EXPECT_LT(job.reports.epochs.back().loss, job.reports.epochs[0].loss);
  EXPECT_EQ(job.reports.epochs[0].inputs, 54);
  EXPECT_GT(job.reports.epochs[0].bytes, 0);
  // The best epoch is the first with the best valid accuracy.
  for (const EpochReport& report : job.reports.epochs) {
    EXPECT_LE(*report.valid, *result->best_valid);
    if (report.epoch < result->best_epoch) {
      EXPECT_LT(*report.valid, *result->best_valid);
    }
  }
}

TEST(TrainerTest, EqualRunsGiveEqualBits) {
  auto losses = [] {
    Job job;
    job.options.model.dropout = 0.5;
    job.options.model.input_dropout = 0.2;
    job.loader_options.num_neighbors = {3, 2};
    job.loader_options.batch_size = 16;
    EXPECT_TRUE(job.Run().ok());
    std::vector<double> values;
    for (const auto& e : job.reports.epochs) values.push_back(e.loss);
    return values;
  };
  EXPECT_EQ(losses(), losses());
}

TEST(TrainerTest, BlocksOfDglTrainToo) {
  Job job;
  job.options.epochs = 20;
  job.options.learning_rate = 0.02;
  job.options.expand_all = job.loader_options.expand_all = true;
  job.loader_options.num_neighbors = {4, 4};
  job.loader_options.batch_size = 16;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(*result->test, 0.9);
}

// Steps so large that the accuracy goes up and down.
TEST(TrainerTest, TestAccuracyIsOfTheBestEpochsParameters) {
  const auto run = [](uint64_t epochs, bool with_valid) {
    Job job;
    job.options.epochs = epochs;
    job.options.learning_rate = 0.1;
    job.loader_options.num_neighbors = {2, 2};
    job.loader_options.batch_size = 8;
    job.with_valid = with_valid;
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  };
  const TrainResult whole = run(12, true);
  ASSERT_LT(whole.best_epoch, 11);
  // Without validation the parameters are those of the last epoch, which here
  // are of another accuracy: so the comparison below can fail.
  EXPECT_NE(*whole.test, *run(12, false).test);
  const TrainResult until_best = run(whole.best_epoch + 1, false);
  EXPECT_EQ(*whole.test, *until_best.test);
}

TEST(TrainerTest, SavesTheBestEpochsParameters) {
  const auto model_of = [](const std::string& name, uint64_t epochs) {
    Job job;
    job.options.epochs = epochs;
    job.options.learning_rate = 0.1;
    job.loader_options.num_neighbors = {2, 2};
    job.options.save_model = Folder(name);
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return std::pair(ReadFile(Folder(name)), result->best_epoch);
  };
  const auto [whole, best] = model_of("whole.safetensors", 12);
  ASSERT_LT(best, 11);
  EXPECT_EQ(model_of("best.safetensors", best + 1).first, whole);
}

// Each input twice, one after the other: a batch has half as many nodes as
// inputs, so the first rows are not those of the inputs.
TEST(TrainerTest, LabelsAreThoseOfTheInputsRows) {
  const auto run = [](int times) {
    const auto repeated = [times](const std::string& split) {
      auto graph = SmallGraph();
      const std::vector<int64_t> ids = graph->splits[split];
      graph->splits[split].clear();
      for (int64_t id : ids) {
        graph->splits[split].insert(graph->splits[split].end(), times, id);
      }
      return graph;
    };
    Job job;
    job.loader_options.shuffle = ShuffleMode::kNone;
    job.loader_options.batch_size = 9 * times;
    job.train_graph = repeated("train");
    job.valid_graph = repeated("valid");
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return std::pair(job.reports.epochs, *result->best_valid);
  };
  const auto [once, valid_once] = run(1);
  const auto [twice, valid_twice] = run(2);
  EXPECT_EQ(twice[0].inputs, 2 * once[0].inputs);
  ASSERT_EQ(once.size(), twice.size());
  for (size_t e = 0; e < once.size(); ++e) {
    EXPECT_NEAR(once[e].loss, twice[e].loss, 1e-5) << e;
    EXPECT_EQ(once[e].train_accuracy, twice[e].train_accuracy) << e;
  }
  EXPECT_EQ(valid_once, valid_twice);
}

TEST(TrainerTest, ABatchThatFailsEndsTheRunWithItsCause) {
  Job job;
  job.loader_options.batch_size = 16;
  job.faults.fail_at = 2;
  const auto result = job.Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(result.status().message(), "batch 2 is broken");
}

// --- checkpoints -------------------------------------------------------------

// 54 inputs in 7 batches an epoch; checkpoints after every fourth step.
void ConfigureCheckpoints(Job& job, const std::string& folder) {
  job.options.epochs = 4;
  job.options.model.dropout = 0.4;
  job.options.early_stopping = {.patience = 9};
  job.options.schedule = {.kind = LrScheduleKind::kCosine,
                          .unit = LrScheduleUnit::kStep,
                          .t_max = 40};
  job.loader_options.num_neighbors = {3, 2};
  job.loader_options.batch_size = 8;
  job.options.checkpoints = {.folder = folder, .every_steps = 4};
  job.options.num_classes = 4;
}

// What a run has computed, to the bit.
std::vector<double> Numbers(const Job& job, const TrainResult& result) {
  std::vector<double> numbers;
  for (const EpochReport& report : job.reports.epochs) {
    numbers.push_back(static_cast<double>(report.epoch));
    numbers.push_back(report.loss);
    numbers.push_back(*report.train_accuracy);
    numbers.push_back(*report.valid);
  }
  numbers.push_back(*result.best_valid);
  numbers.push_back(static_cast<double>(result.best_epoch));
  numbers.push_back(*result.test);
  return numbers;
}

TEST(TrainerTest, AResumedRunHasTheBitsOfAnUndisturbedOne) {
  Job whole;
  ConfigureCheckpoints(whole, Folder("whole"));
  const auto undisturbed = whole.Run();
  ASSERT_TRUE(undisturbed.ok()) << undisturbed.status();
  std::vector<double> expected = Numbers(whole, *undisturbed);

  // Step 16 is the second of epoch 2.
  Job stopped;
  ConfigureCheckpoints(stopped, Folder("stopped"));
  stopped.faults = {.fail_at = 5, .epoch = 2};
  EXPECT_FALSE(stopped.Run().ok());
  Job resumed;
  ConfigureCheckpoints(resumed, Folder("stopped"));
  resumed.options.checkpoints.resume = Folder("stopped");
  const auto result = resumed.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resumed.reports.resumed_step, 16);
  EXPECT_EQ(resumed.reports.resumed_from, Folder("stopped/step-000000000016"));
  ASSERT_EQ(resumed.reports.epochs.size(), 2);
  expected.erase(expected.begin(), expected.begin() + 2 * 4);
  EXPECT_EQ(Numbers(resumed, *result), expected);
  EXPECT_EQ(resumed.train_stats().batches, 5 + 7);
}

// A checkpoint of a whole epoch: nothing of it is left, and it is evaluated.
TEST(TrainerTest, ResumesAtAnEpochsEnd) {
  Job whole;
  ConfigureCheckpoints(whole, Folder("ends_whole"));
  const auto undisturbed = whole.Run();
  ASSERT_TRUE(undisturbed.ok()) << undisturbed.status();
  Job stopped;
  ConfigureCheckpoints(stopped, Folder("ends"));
  stopped.options.checkpoints.every_steps = 7;
  stopped.faults = {.fail_at = 0, .epoch = 3};
  EXPECT_FALSE(stopped.Run().ok());
  Job resumed;
  ConfigureCheckpoints(resumed, Folder("ends"));
  resumed.options.checkpoints.resume = Folder("ends");
  const auto result = resumed.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(resumed.reports.epochs.size(), 2);
  EXPECT_EQ(resumed.reports.epochs[0].loss, whole.reports.epochs[2].loss);
  EXPECT_EQ(*result->test, *undisturbed->test);
}

TEST(TrainerTest, ANewRunDoesNotWriteOverAnothersCheckpoints) {
  Job first;
  ConfigureCheckpoints(first, Folder("taken"));
  ASSERT_TRUE(first.Run().ok());
  Job second;
  ConfigureCheckpoints(second, Folder("taken"));
  const absl::Status status = second.Run().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find("--resume"), std::string::npos) << status;
  EXPECT_TRUE(second.reports.epochs.empty());
}

TEST(TrainerTest, RefusesToResumeWhatDoesNotFit) {
  Job whole;
  ConfigureCheckpoints(whole, Folder("other"));
  whole.options.epochs = 1;
  ASSERT_TRUE(whole.Run().ok());
  const auto refusal = [](auto change) {
    Job job;
    ConfigureCheckpoints(job, "");
    job.options.checkpoints = {.resume = Folder("other")};
    change(job);
    return job.Run().status().ToString();
  };
  EXPECT_EQ(refusal([](Job&) {}), "OK");
  EXPECT_NE(refusal([](Job& job) {
              job.options.model.hidden_channels = 16;
            }).find("tensor convs.0.lin_l.weight is Float [8, 4]"),
            std::string::npos);
  EXPECT_NE(refusal([](Job& job) {
              job.loader_options.random_seed = 1;
            }).find("another order"),
            std::string::npos);
  EXPECT_NE(refusal([](Job& job) {
              job.options.checkpoints.resume = Folder("none");
            }).find("none"),
            std::string::npos);
}

TEST(TrainerTest, CancelEndsAWait) {
  Job job;
  job.loader_options.batch_size = 16;
  job.options.num_classes = 4;
  job.faults.hang_at = 1;
  std::thread canceller([&] {
    while (!job.loader_made.load()) std::this_thread::yield();
    job.Cancel();
  });
  EXPECT_EQ(job.Run().status().code(), absl::StatusCode::kCancelled);
  canceller.join();
}

TEST(TrainerTest, ClassesAreCountedByTheLabelsLoaderWhichIsThenLetGo) {
  Job job;
  job.loader_options.batch_size = 16;
  job.labels_graph = SmallGraph();
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(job.reports.rounds["classes"], 4);  // of 16, 16, 16 and 6
  EXPECT_EQ(job.train_stats().batches, 4 * 4);  // the epochs alone
  EXPECT_FALSE(job.holds_labels());
}

TEST(TrainerTest, ALabelBeyondAllClassesIsNamed) {
  Job job;
  job.loader_options.batch_size = 16;
  auto graph = SmallGraph();
  graph->y[3] = int64_t{1} << 24;  // a training input
  job.labels_graph = graph;
  const auto result = job.Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result.status().message(),
            "a training input has the label 16777216, allowed are 0 to "
            "16777215");
}

TEST(TrainerTest, NamesWhatIsWrong) {
  Job job;
  job.options.model.dropout = 1;
  EXPECT_EQ(job.Run().status().message(),
            "dropout is 1, allowed are 0 to 0.999");
}

// --- two processes -----------------------------------------------------------

// 54 inputs in batches of 12 over 2 ranks: 5 batches, 3 rounds, the last of
// one short batch on rank 0 alone.
void ConfigureUneven(Job& job, uint64_t batch_size) {
  job.loader_options.batch_size = batch_size;
  job.options.epochs = 4;
}

std::vector<double> Losses(const Reports& reports) {
  std::vector<double> losses;
  for (const EpochReport& report : reports.epochs) {
    losses.push_back(report.loss);
    losses.push_back(*report.valid);
  }
  return losses;
}

int RunRank(const std::string& out) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureUneven(job, 12);
  const auto result = job.Run();
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    return 1;
  }
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file.precision(17);
  for (double loss : Losses(job.reports)) file << loss << "\n";
  file << *result->test << "\n";
  return file.good() && !::testing::Test::HasFailure() ? 0 : 1;
}

// Rank 1 ends in its first batch of `phase`; writes how many of its rounds this
// rank has completed. 0 in any case, so that the launcher ends nobody.
int RunRankBesideOneThatFails(const std::string& out,
                              const std::string& phase) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureUneven(job, 12);
  if (environment->rank == 1) {
    (phase == "valid" ? job.valid_faults : job.faults).fail_at = 1;
  }
  const bool ended_well = job.Run().ok();
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file << ended_well << "\n" << job.reports.rounds[phase] << "\n";
  return 0;
}

// One rank of a run with checkpoints, which fails in batch `fail_at` of epoch 2
// unless that is negative, and resumes if there is a checkpoint.
int RunRankWithCheckpoints(const std::string& folder, const std::string& out,
                           const std::string& fail_at) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureCheckpoints(job, folder);
  job.faults = {.fail_at = std::stoi(fail_at), .epoch = 2};
  if (std::filesystem::exists(folder)) job.options.checkpoints.resume = folder;
  const auto result = job.Run();
  if (!result.ok()) return 1;
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file.precision(17);
  for (double number : Numbers(job, *result)) file << number << "\n";
  return file.good() && !::testing::Test::HasFailure() ? 0 : 1;
}

// Rank 1 has opened another version. Writes how this rank ended.
int RunRankBesideAnotherGraph(const std::string& out) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureUneven(job, 12);
  InMemoryGraph graph = CommunityGraph(4, 40, 1);
  if (environment->rank == 1) graph.content_digest.back() = 1;
  job.train_graph = std::make_shared<InMemoryGraph>(std::move(graph));
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file << static_cast<int>(job.Run().status().code()) << "\n";
  return 0;
}

std::vector<double> ReadNumbers(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double n; file >> n;) numbers.push_back(n);
  return numbers;
}

TEST(TrainerTest, TwoRanksWithAnUnevenRoundEqualOneProcess) {
  Job alone;
  ConfigureUneven(alone, 24);  // the same rounds in one process
  const auto result = alone.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<double> expected = Losses(alone.reports);
  expected.push_back(*result->test);

  const std::string out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/losses");
  const auto code =
      RunRanks({.num_ranks = 2, .argv = {"/proc/self/exe", "--rank", out}});
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(*code, 0);
  const std::vector<double> rank0 = ReadNumbers(out + ".0");
  EXPECT_EQ(rank0, ReadNumbers(out + ".1"));  // to the bit
  ASSERT_EQ(rank0.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(rank0[i], expected[i], 1e-5) << i;
  }
}

// A rank that waits for another's batch gives up after little more than the
// longest wait for one: it must not be rounds ahead.
TEST(TrainerTest, NoRankCompletesARoundThatAnotherHasNot) {
  for (const std::string phase : {"classes", "valid"}) {
    const std::string out =
        absl::StrCat(std::getenv("TEST_TMPDIR"), "/rounds_", phase);
    const auto code = RunRanks(
        {.num_ranks = 2, .argv = {"/proc/self/exe", "--rank", out, phase}});
    ASSERT_TRUE(code.ok()) << code.status();
    ASSERT_EQ(*code, 0);
    EXPECT_EQ(ReadNumbers(out + ".0"), (std::vector<double>{0, 0})) << phase;
    EXPECT_EQ(ReadNumbers(out + ".1"), (std::vector<double>{0, 0})) << phase;
  }
}

// Of three: a sum of two is the same in either order.
TEST(TrainerTest, ThreeResumedRanksHaveTheBitsOfAnUndisturbedRun) {
  const auto run = [](const std::string& folder, const std::string& out,
                      int ranks, int fail_at) {
    const auto code =
        RunRanks({.num_ranks = ranks,
                  .argv = {"/proc/self/exe", "--checkpoints", Folder(folder),
                           Folder(out), absl::StrCat(fail_at)}});
    return code.ok() ? *code : -1;
  };
  ASSERT_EQ(run("whole3", "whole3.out", 3, -1), 0);
  EXPECT_NE(run("stopped3", "stopped3.out", 3, 6), 0);
  ASSERT_EQ(run("stopped3", "resumed3.out", 3, -1), 0);
  std::vector<double> expected = ReadNumbers(Folder("whole3.out.0"));
  expected.erase(expected.begin(), expected.begin() + 2 * 4);
  EXPECT_EQ(ReadNumbers(Folder("resumed3.out.0")), expected);
  EXPECT_EQ(ReadNumbers(Folder("resumed3.out.2")), expected);
}

TEST(TrainerTest, RanksOfDifferentGraphsDoNotTrain) {
  const std::string out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/graphs");
  const auto code = RunRanks(
      {.num_ranks = 2, .argv = {"/proc/self/exe", "--rank-beside", out}});
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(*code, 0);
  const std::vector<double> refused = {
      static_cast<double>(absl::StatusCode::kFailedPrecondition)};
  EXPECT_EQ(ReadNumbers(out + ".0"), refused);
  EXPECT_EQ(ReadNumbers(out + ".1"), refused);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--rank") {
    return tributary::RunRank(argv[2]);
  }
  if (argc == 3 && std::string(argv[1]) == "--rank-beside") {
    return tributary::RunRankBesideAnotherGraph(argv[2]);
  }
  if (argc == 5 && std::string(argv[1]) == "--checkpoints") {
    return tributary::RunRankWithCheckpoints(argv[2], argv[3], argv[4]);
  }
  if (argc == 4 && std::string(argv[1]) == "--rank") {
    return tributary::RunRankBesideOneThatFails(argv[2], argv[3]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
