// Runs that are stopped and resumed have the bits of undisturbed ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/testing/train_job.h"

namespace tributary {
namespace {

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

TEST(ResumeTest, AResumedRunHasTheBitsOfAnUndisturbedOne) {
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
  // One in which a label is looked for, then those of the rest.
  EXPECT_EQ(resumed.train_stats().batches, 1 + 5 + 7);
}

// Steps of 2, 2, 2 and 1 batches; step 9 is the first of epoch 2.
TEST(ResumeTest, AResumedRunThatAccumulatesHasTheBitsOfAnUndisturbedOne) {
  const auto configure = [](Job& job, const std::string& folder) {
    ConfigureCheckpoints(job, folder);
    job.options.accumulate = 2;
    job.options.checkpoints.every_steps = 3;
  };
  Job whole;
  configure(whole, Folder("sums_whole"));
  const auto undisturbed = whole.Run();
  ASSERT_TRUE(undisturbed.ok()) << undisturbed.status();
  std::vector<double> expected = Numbers(whole, *undisturbed);

  Job stopped;
  configure(stopped, Folder("sums"));
  stopped.faults = {.fail_at = 5, .epoch = 2};  // in the middle of a step
  EXPECT_FALSE(stopped.Run().ok());
  Job resumed;
  configure(resumed, Folder("sums"));
  resumed.options.checkpoints.resume = Folder("sums");
  const auto result = resumed.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resumed.reports.resumed_step, 9);
  // One in which a label is looked for, then those of the rest.
  EXPECT_EQ(resumed.train_stats().batches, 1 + 5 + 7);
  expected.erase(expected.begin(), expected.begin() + 2 * 4);
  EXPECT_EQ(Numbers(resumed, *result), expected);
}

// A checkpoint of a whole epoch: nothing of it is left, and it is evaluated.
TEST(ResumeTest, ResumesAtAnEpochsEnd) {
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

// A rate at which parameters do not change enough for the metric to.
void ConfigureNoProgress(Job& job, const std::string& folder) {
  ConfigureCheckpoints(job, folder);
  job.options.epochs = 20;
  job.options.schedule = {};
  job.options.learning_rate = 1e-12;
  job.options.early_stopping = {.patience = 3};
}

// The first validation is the best one, so the run ends after the fourth,
// wherever it is resumed.
TEST(ResumeTest, PatienceIsCountedOn) {
  for (const uint64_t epoch : {1, 2, 3}) {
    const std::string folder = Folder(absl::StrCat("patience", epoch));
    Job stopped;
    ConfigureNoProgress(stopped, folder);
    stopped.faults = {.fail_at = 5, .epoch = epoch};
    EXPECT_FALSE(stopped.Run().ok());
    Job resumed;
    ConfigureNoProgress(resumed, folder);
    resumed.options.checkpoints.resume = folder;
    const auto result = resumed.Run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->epochs, 4) << "resumed in epoch " << epoch;
    EXPECT_EQ(result->best_epoch, 0);
  }
}

// The time of the run alone, as rank 0 has it.
class RunClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::UnixEpoch();
};

// Returns the steps of a folder's checkpoints.
std::vector<uint64_t> StepsIn(const std::string& folder) {
  std::vector<uint64_t> steps;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.rfind("step-", 0) == 0)
      steps.push_back(std::stoull(name.substr(5)));
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

// A step takes 25 s: the first checkpoint is due after 3 of them, and each
// other one 3 steps after the last.
TEST(ResumeTest, MinutesAreCountedFromTheLastCheckpoint) {
  RunClock clock;
  Job job;
  ConfigureCheckpoints(job, Folder("minutes"));
  job.options.epochs = 2;
  job.options.clock = &clock;
  job.options.checkpoints = {
      .folder = Folder("minutes"), .every = absl::Seconds(60), .keep = 100};
  job.reports.on_round = [&](std::string_view phase, int) {
    if (phase == "train") clock.now += absl::Seconds(25);
  };
  ASSERT_TRUE(job.Run().ok());
  // The last one is of the last step.
  EXPECT_EQ(StepsIn(Folder("minutes")),
            (std::vector<uint64_t>{4, 7, 10, 13, 14}));

  // Together with steps, which count as well.
  clock.now = absl::UnixEpoch();
  Job both;
  ConfigureCheckpoints(both, Folder("both"));
  both.options.epochs = 2;
  both.options.clock = &clock;
  both.options.checkpoints = {.folder = Folder("both"),
                              .every_steps = 5,
                              .every = absl::Seconds(60),
                              .keep = 100};
  both.reports.on_round = [&](std::string_view phase, int) {
    if (phase == "train") clock.now += absl::Seconds(25);
  };
  ASSERT_TRUE(both.Run().ok());
  EXPECT_EQ(StepsIn(Folder("both")),
            (std::vector<uint64_t>{4, 5, 8, 10, 13, 14}));
}

TEST(ResumeTest, ANewRunDoesNotWriteOverAnothersCheckpoints) {
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

TEST(ResumeTest, RefusesToResumeWhatDoesNotFit) {
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

// --- three processes ---------------------------------------------------------

// One rank of a run with checkpoints, which fails in batch `fail_at` of epoch 2
// unless that is negative, and resumes if there is a checkpoint.
int RunRankWithCheckpoints(const std::string& folder, const std::string& out,
                           const std::string& fail_at,
                           const std::string& accumulate) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureCheckpoints(job, folder);
  job.options.accumulate = std::stoull(accumulate);
  // Has the second round of epoch 2 as its last one either way.
  job.options.checkpoints.every_steps = job.options.accumulate == 2 ? 5 : 4;
  job.faults = {.fail_at = std::stoi(fail_at), .epoch = 2};
  if (std::filesystem::exists(folder)) job.options.checkpoints.resume = folder;
  const auto result = job.Run();
  if (!result.ok()) return 1;
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file.precision(17);
  for (double number : Numbers(job, *result)) file << number << "\n";
  return file.good() && !::testing::Test::HasFailure() ? 0 : 1;
}

// Of three: a sum of two is the same in either order.
TEST(ResumeTest, ThreeResumedRanksHaveTheBitsOfAnUndisturbedRun) {
  for (const std::string accumulate : {"1", "2"}) {
    const auto path = [&](const std::string& name) {
      return Folder(absl::StrCat(name, accumulate));
    };
    const auto run = [&](const std::string& name, const std::string& out,
                         int fail_at) {
      const auto code =
          RunRanks({.num_ranks = 3,
                    .argv = {"/proc/self/exe", "--checkpoints", path(name),
                             path(out), absl::StrCat(fail_at), accumulate}});
      return code.ok() ? *code : -1;
    };
    ASSERT_EQ(run("whole3_", "whole3_out_", -1), 0);
    EXPECT_NE(run("stopped3_", "stopped3_out_", 6), 0);
    ASSERT_EQ(run("stopped3_", "resumed3_out_", -1), 0);
    std::vector<double> expected = ReadNumbers(path("whole3_out_") + ".0");
    expected.erase(expected.begin(), expected.begin() + 2 * 4);
    EXPECT_EQ(ReadNumbers(path("resumed3_out_") + ".0"), expected);
    EXPECT_EQ(ReadNumbers(path("resumed3_out_") + ".2"), expected);
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "--checkpoints") {
    return tributary::RunRankWithCheckpoints(argv[2], argv[3], argv[4],
                                             argv[5]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
