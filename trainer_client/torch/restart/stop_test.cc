// Runs that are asked to end leave a checkpoint of the last step that all ranks
// have taken, whatever they do at that moment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/testing/train_job.h"
#include "trainer_client/torch/train/checkpointing.h"

namespace tributary {
namespace {

constexpr uint64_t kNever = 1000;  // steps between checkpoints

// 54 inputs in 7 batches an epoch.
void Configure(Job& job, const std::string& folder) {
  job.options.epochs = 3;
  job.options.model.dropout = 0.4;
  job.options.early_stopping = {.patience = 2};
  job.loader_options.num_neighbors = {3, 2};
  job.loader_options.batch_size = 8;
  job.options.checkpoints = {.folder = folder, .every_steps = kNever};
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

uint64_t NewestStep(const std::string& folder) {
  const auto search = FindCheckpoint(folder);
  return search.ok() && search->found ? search->found->manifest.step : 0;
}

struct Place {
  std::string phase;
  int round = 0;  // after this round of the phase
  uint64_t accumulate = 1;
  uint64_t step = 0;  // of the checkpoint; 0: there is none
  size_t epochs = 0;  // that the resumed run reports
};

// Runs a job that is asked to end at `place`.
absl::Status RunUntil(const Place& place, const std::string& folder) {
  Job job;
  Configure(job, folder);
  job.options.accumulate = place.accumulate;
  job.reports.on_round = [&](std::string_view phase, int round) {
    if (phase == place.phase && round == place.round) job.Stop();
  };
  return job.Run().status();
}

void CheckResumed(const Place& place, const std::string& folder) {
  Job whole;
  Configure(whole, "");
  whole.options.checkpoints = {};
  whole.options.accumulate = place.accumulate;
  const auto undisturbed = whole.Run();
  ASSERT_TRUE(undisturbed.ok()) << undisturbed.status();
  std::vector<double> expected = Numbers(whole, *undisturbed);
  const size_t first = whole.reports.epochs.size() - place.epochs;
  expected.erase(expected.begin(), expected.begin() + 4 * first);
  Job resumed;
  Configure(resumed, folder);
  resumed.options.accumulate = place.accumulate;
  resumed.options.checkpoints.resume = folder;
  const auto result = resumed.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resumed.reports.resumed_step, place.step);
  EXPECT_EQ(Numbers(resumed, *result), expected);
}

// Steps are 7 an epoch, or 4 of two batches at most.
TEST(StopTest, LeavesACheckpointOfTheLastStep) {
  const std::vector<Place> places = {
      {"train", 1, 1, 1, 3},
      {"train", 9, 1, 9, 2},
      {"train", 7, 1, 7, 3},
      {"valid", 1, 1, 7, 3},
      {"valid", 8, 1, 14, 2},
      {"train", 8, 2, 4, 2},  // within a step, which is given up
      {"test", 1, 1, 21, 1},
  };
  int number = 0;
  for (const Place& place : places) {
    SCOPED_TRACE(absl::StrCat(place.phase, " ", place.round, " accumulates ",
                              place.accumulate));
    const std::string folder = Folder(absl::StrCat("place", number++));
    const absl::Status status = RunUntil(place, folder);
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
    EXPECT_TRUE(EndedOnRequest(status));
    EXPECT_NE(status.message().find(absl::StrCat(
                  "checkpoint of step ", NewestStep(folder), " in ", folder)),
              std::string::npos)
        << status;
    EXPECT_EQ(NewestStep(folder), place.step);
    CheckResumed(place, folder);
  }
}

TEST(StopTest, ARunWithoutAStepLeavesNothing) {
  const std::string folder = Folder("classes");
  const absl::Status status = RunUntil({"classes", 1}, folder);
  EXPECT_TRUE(EndedOnRequest(status)) << status;
  EXPECT_EQ(status.message(), "interrupted");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(StopTest, NothingIsWrittenWithoutAFolder) {
  Job job;
  Configure(job, "");
  job.options.checkpoints = {};
  job.reports.on_round = [&](std::string_view phase, int round) {
    if (phase == "train" && round == 3) job.Stop();
  };
  const absl::Status status = job.Run().status();
  EXPECT_TRUE(EndedOnRequest(status)) << status;
  EXPECT_EQ(status.message(), "interrupted");
}

// Batches that never come: of training, and of a validation.
TEST(StopTest, DoesNotWaitForABatch) {
  for (const bool valid : {false, true}) {
    const std::string folder = Folder(absl::StrCat("waits", valid));
    Job job;
    Configure(job, folder);
    (valid ? job.valid_faults : job.faults) = {.hang_at = 3,
                                               .epoch = valid ? 0u : 1u};
    std::thread signal;
    job.reports.on_round = [&](std::string_view phase, int round) {
      const bool there = valid ? phase == "valid" && round == 3
                               : phase == "train" && round == 10;
      if (there) signal = std::thread([&job] { job.Stop(); });
    };
    const absl::Status status = job.Run().status();
    signal.join();
    EXPECT_TRUE(EndedOnRequest(status)) << status;
    EXPECT_EQ(NewestStep(folder), valid ? 7u : 10u);
  }
}

// --- three processes ---------------------------------------------------------

// One rank of a run, of which rank 1 alone is asked to end after round `round`
// of a phase; returns 75 for the end on request.
int RunRank(const std::string& folder, const std::string& out,
            const std::string& phase, const std::string& round) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  Configure(job, folder);
  const int last = std::stoi(round);
  job.reports.on_round = [&](std::string_view at, int rounds) {
    if (environment->rank == 1 && at == phase && rounds == last) job.Stop();
  };
  if (std::filesystem::exists(folder)) job.options.checkpoints.resume = folder;
  const auto result = job.Run();
  if (EndedOnRequest(result.status())) return 75;
  if (!result.ok()) return 1;
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file.precision(17);
  for (double number : Numbers(job, *result)) file << number << "\n";
  return file.good() && !::testing::Test::HasFailure() ? 0 : 1;
}

// 3 rounds an epoch, the last one of a single batch.
TEST(StopTest, AllRanksEndWithTheOneThatIsAsked) {
  const auto run = [&](const std::string& name, const std::string& out,
                       const std::string& phase, int round) {
    const auto code =
        RunRanks({.num_ranks = 3,
                  .argv = {"/proc/self/exe", "--stop", Folder(name),
                           Folder(out), phase, absl::StrCat(round)}});
    return code.ok() ? *code : -1;
  };
  ASSERT_EQ(run("whole3", "whole3_out", "train", -1), 0);
  const std::vector<double> all = ReadNumbers(Folder("whole3_out.0"));
  struct Case {
    std::string phase;
    int round;
    uint64_t step;
    int epochs;  // that the resumed run does not report
  };
  for (const Case& c : {Case{"train", 4, 4, 1}, Case{"valid", 1, 3, 0},
                        Case{"classes", 1, 0, 0}, Case{"test", 2, 9, 2}}) {
    SCOPED_TRACE(c.phase);
    const std::string name = "ranks_" + c.phase;
    EXPECT_EQ(run(name, name + "_out", c.phase, c.round), 75);
    EXPECT_EQ(NewestStep(Folder(name)), c.step);
    if (c.step == 0) continue;
    ASSERT_EQ(run(name, name + "_out", "none", -1), 0);
    const std::vector<double> rest(all.begin() + 4 * c.epochs, all.end());
    for (const char* rank : {".0", ".1", ".2"}) {
      EXPECT_EQ(ReadNumbers(Folder(name + "_out") + rank), rest);
    }
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "--stop") {
    return tributary::RunRank(argv[2], argv[3], argv[4], argv[5]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
