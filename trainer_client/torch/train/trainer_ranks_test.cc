// Train() in several processes, which RunRanks() starts from this program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/testing/train_job.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {
namespace {

// Returns the numbers of a safetensors file of float32 alone.
std::vector<float> ReadParameters(const std::string& path) {
  const std::string bytes = ReadFile(path);
  uint64_t header = 0;
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::string data = bytes.substr(sizeof(header) + header);
  std::vector<float> numbers(data.size() / sizeof(float));
  std::memcpy(numbers.data(), data.data(), numbers.size() * sizeof(float));
  return numbers;
}

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
  const CountingClock clock;
  Job job(*environment);
  job.options.clock = &clock;
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
  // Means over the ranks, of which one has no batch in the last round.
  for (const EpochReport& report : job.reports.epochs) {
    EXPECT_NEAR(report.step.of(StepPhase::kWait), 0.003, 1e-9);
    EXPECT_NEAR(report.step.of(StepPhase::kForward), 0.0025, 1e-9);
    EXPECT_NEAR(report.step.of(StepPhase::kBackward), 0.003, 1e-9);
    EXPECT_NEAR(report.step.of(StepPhase::kReduce), 0.003, 1e-9);
  }
  return file.good() && !::testing::Test::HasFailure() ? 0 : 1;
}

// Rank 1 ends in its first batch of `phase`, with "train" in the first round of
// a step of two, with "valid" in its second one, since the first is read before
// the first epoch, too; writes how many of its rounds this rank has completed.
// 0 in any case, so that the launcher ends nobody.
int RunRankBesideOneThatFails(const std::string& out,
                              const std::string& phase) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureUneven(job, 12);
  if (phase == "train") {
    job.options.num_classes = 4;
    job.options.accumulate = 2;
  }
  if (environment->rank == 1) {
    if (phase == "valid") job.valid_faults.fail_at = 3;
    if (phase != "valid") job.faults.fail_at = 1;
  }
  const bool ended_well = job.Run().ok();
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file << ended_well << "\n" << job.reports.rounds[phase] << "\n";
  return 0;
}

// The first training node, which is in the first batch of rank 0 alone, has
// features that are not finite. Writes how this rank ended, and whether it says
// that another has the cause. 0 in any case, so that the launcher ends nobody.
int RunRankBesideANan(const std::string& out) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureUneven(job, 12);
  job.loader_options.num_neighbors = {0, 0};
  job.loader_options.shuffle = ShuffleMode::kNone;
  auto graph = SmallGraph();
  for (int64_t i = 0; i < graph->num_features; ++i) {
    graph->x[static_cast<size_t>(i)] = NAN;
  }
  job.train_graph = graph;
  const absl::Status status = job.Run().status();
  std::ofstream file(absl::StrCat(out, ".", environment->rank));
  file << static_cast<int>(status.code()) << "\n"
       << OfAnotherRank(status) << "\n"
       << job.reports.rounds["train"] << "\n";
  return 0;
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

TEST(TrainerRanksTest, TwoRanksWithAnUnevenRoundEqualOneProcess) {
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

// One step of both ways takes the same batches, with the draws and the dropout
// of each. The epoch's last step is short, and the learning rate falls with
// every second step.
void ConfigureAccumulated(Job& job, uint64_t batch_size, uint64_t accumulate,
                          const std::string& model) {
  job.loader_options.batch_size = batch_size;
  job.loader_options.num_neighbors = {3, 2};
  job.options.accumulate = accumulate;
  job.options.epochs = 3;
  job.options.model.dropout = 0.4;
  job.options.schedule = {.kind = LrScheduleKind::kStep,
                          .unit = LrScheduleUnit::kStep,
                          .step_size = 2,
                          .gamma = 0.7};
  job.options.num_classes = 4;
  job.options.save_model = model;
  job.with_valid = false;  // the last parameters are saved
}

// Two ranks whose steps have `accumulate` rounds.
int RunRankThatAccumulates(const std::string& model,
                           const std::string& batch_size,
                           const std::string& accumulate) {
  EndWithLauncher();
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  Job job(*environment);
  ConfigureAccumulated(job, std::stoull(batch_size), std::stoull(accumulate),
                       model);
  return job.Run().ok() && !::testing::Test::HasFailure() ? 0 : 1;
}

// Returns the parameters that a run in this process ends with.
std::vector<float> ParametersOfOneRank(uint64_t batch_size,
                                       uint64_t accumulate) {
  const std::string model = Folder("alone.safetensors");
  Job job;
  ConfigureAccumulated(job, batch_size, accumulate, model);
  const auto result = job.Run();
  EXPECT_TRUE(result.ok()) << result.status();
  return ReadParameters(model);
}

std::vector<float> ParametersOfTwoRanks(uint64_t batch_size,
                                        uint64_t accumulate) {
  const std::string model = Folder("two.safetensors");
  const auto code =
      RunRanks({.num_ranks = 2,
                .argv = {"/proc/self/exe", "--accumulate", model,
                         absl::StrCat(batch_size), absl::StrCat(accumulate)}});
  EXPECT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(code.value_or(-1), 0);
  return ReadParameters(model);
}

double LargestDifference(const std::vector<float>& a,
                         const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_FALSE(a.empty());
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

// 54 inputs in batches of 12: 5 batches, so steps of 2, 2 and 1.
TEST(TrainerRanksTest, OneRankThatAccumulatesTwoBatchesEqualsTwoRanks) {
  const std::vector<float> two = ParametersOfTwoRanks(12, 1);
  EXPECT_LT(LargestDifference(ParametersOfOneRank(12, 2), two), 1e-5);
  // The comparison can fail: without accumulation parameters are others.
  EXPECT_GT(LargestDifference(ParametersOfOneRank(12, 1), two), 1e-2);
}

// In batches of 8: 7 batches, so steps of 4 and 3. Of two ranks one has no
// batch in the round that ends the second, but gradients of the one before. In
// batches of 6: 9 batches, so steps of 4, 4 and 1.
TEST(TrainerRanksTest, TwoRanksAccumulateAsOne) {
  for (const uint64_t batch_size : {8, 6}) {
    EXPECT_LT(LargestDifference(ParametersOfOneRank(batch_size, 4),
                                ParametersOfTwoRanks(batch_size, 2)),
              1e-5)
        << batch_size;
  }
}

// A rank that waits for another's batch gives up after little more than the
// longest wait for one: it must not be rounds ahead.
TEST(TrainerRanksTest, NoRankCompletesARoundThatAnotherHasNot) {
  for (const std::string phase : {"classes", "valid", "train"}) {
    const std::string out =
        absl::StrCat(std::getenv("TEST_TMPDIR"), "/rounds_", phase);
    const auto code = RunRanks(
        {.num_ranks = 2, .argv = {"/proc/self/exe", "--rank", out, phase}});
    ASSERT_TRUE(code.ok()) << code.status();
    ASSERT_EQ(*code, 0);
    const std::vector<double> expected = {0, phase == "valid" ? 1.0 : 0.0};
    EXPECT_EQ(ReadNumbers(out + ".0"), expected) << phase;
    EXPECT_EQ(ReadNumbers(out + ".1"), expected) << phase;
  }
}

// No rank meets the broken collective of one that has ended.
TEST(TrainerRanksTest, ALossThatIsNotFiniteOnOneRankEndsAllInItsRound) {
  const std::string out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/nan");
  const auto code = RunRanks(
      {.num_ranks = 2, .argv = {"/proc/self/exe", "--rank-beside-nan", out}});
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(*code, 0);
  const auto not_finite = static_cast<double>(absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ReadNumbers(out + ".0"), (std::vector<double>{not_finite, 0, 0}));
  EXPECT_EQ(ReadNumbers(out + ".1"), (std::vector<double>{not_finite, 1, 0}));
}

TEST(TrainerRanksTest, RanksOfDifferentGraphsDoNotTrain) {
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
  if (argc == 3 && std::string(argv[1]) == "--rank-beside-nan") {
    return tributary::RunRankBesideANan(argv[2]);
  }
  if (argc == 5 && std::string(argv[1]) == "--accumulate") {
    return tributary::RunRankThatAccumulates(argv[2], argv[3], argv[4]);
  }
  if (argc == 4 && std::string(argv[1]) == "--rank") {
    return tributary::RunRankBesideOneThatFails(argv[2], argv[3]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
