// Tensors over real servers in a simulation, with faults.
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/testing/sim_random.h"
#include "common/text/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/tensor_client.h"
#include "trainer_client/tensors/testing/tensor_world.h"

namespace tributary {
namespace {

using testing::HasSubstr;

DistTensorOptions Table(std::string name, int64_t num_rows, int64_t dim,
                        DType dtype) {
  DistTensorOptions options;
  options.name = std::move(name);
  options.num_rows = num_rows;
  options.dim = dim;
  options.dtype = dtype;
  return options;
}

std::vector<int64_t> RandomRows(SimRandom& random, size_t count,
                                uint64_t num_rows) {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < count; ++i) {
    rows.push_back(static_cast<int64_t>(random.Below(num_rows)));
  }
  return rows;
}

SimNetworkFaults SomeFaults() {
  SimNetworkFaults faults;
  faults.cut = 0.01;
  faults.corrupt = 0.01;
  faults.stall = 0.002;
  faults.refuse_connect = 0.1;
  faults.slow_connect = 0.1;
  faults.connect_twice = 0.1;
  return faults;
}

// Sets, adds and reads, with duplicates, beside a table in this process.
void WriteAndRead(uint64_t seed, SimNetworkFaults faults, int steps) {
  TensorWorld world({.seed = seed, .num_servers = 3, .faults = faults});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  constexpr int64_t kRows = 700;
  auto tensor =
      DistTensor::Create(**context, Table("t", kRows, 2, DType::kInt64));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  std::vector<int64_t> oracle(kRows * 2, 0);
  SimRandom random(seed, "ops");
  for (int step = 0; step < steps; ++step) {
    const auto rows = RandomRows(random, 1 + random.Below(200), kRows);
    const uint64_t op = random.Below(3);
    if (op == 0) {
      std::vector<int64_t> expected;
      for (const int64_t row : rows) {
        expected.push_back(oracle[row * 2]);
        expected.push_back(oracle[row * 2 + 1]);
      }
      ASSERT_EQ(ReadAs<int64_t>(**tensor, rows), expected) << "step " << step;
      continue;
    }
    std::vector<int64_t> values;
    for (size_t i = 0; i < rows.size() * 2; ++i) {
      values.push_back(static_cast<int64_t>(random.Below(1000)) - 500);
      int64_t& cell = oracle[rows[i / 2] * 2 + i % 2];
      cell = op == 1 ? values[i] : cell + values[i];
    }
    const absl::Status written = op == 1
                                     ? (*tensor)->Set(rows, BytesOf(values))
                                     : (*tensor)->Add(rows, BytesOf(values));
    ASSERT_TRUE(written.ok()) << written;
  }
  EXPECT_EQ(ReadAs<int64_t>(**tensor, FirstRows(kRows)), oracle);
}

TEST(TensorSimTest, RowsAreWhatWasWritten) {
  WriteAndRead(1, SimNetworkFaults(), 60);
}

TEST(TensorSimTest, NoWriteIsLostOrAppliedTwiceWhenStreamsBreak) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    WriteAndRead(seed, SomeFaults(), 40);
  }
}

// A round of more pushes than one part carries (1000), and then one of more
// bytes than it aims at (512 KiB). Each row has one gradient, which plain SGD
// subtracts.
TEST(TensorSimTest, RoundsOfManyPartsReachEachRowOnce) {
  TensorWorld world({.num_servers = 2});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  constexpr int64_t kRows = 9000, kDim = 40;
  auto tensor =
      DistTensor::Create(**context, Table("t", kRows, kDim, DType::kFloat32));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kSgd).ok());
  GradientRounds& rounds = (*context)->rounds();
  const SparseStepOptions step{.learning_rate = 1};
  std::vector<float> expected(kRows * kDim);
  for (int64_t place = 0; place < kRows / 3; ++place) {
    const std::vector<int64_t> rows{place, kRows / 3 + place,
                                    2 * kRows / 3 + place};
    std::vector<float> gradients;
    for (const int64_t row : rows) {
      for (int64_t c = 0; c < kDim; ++c) {
        gradients.push_back(static_cast<float>(row * kDim + c));
        expected[row * kDim + c] -= gradients.back();
      }
    }
    ASSERT_TRUE(
        rounds
            .Push(**tensor, static_cast<uint32_t>(place), rows, gradients, step)
            .ok());
  }
  ASSERT_TRUE(rounds.Close().ok());
  ASSERT_EQ(ReadAs<float>(**tensor, FirstRows(kRows)), expected);
  std::vector<float> gradients;
  for (float& value : expected) {
    gradients.push_back(static_cast<float>(gradients.size() % 777));
    value -= gradients.back();
  }
  ASSERT_TRUE(rounds.Push(**tensor, 0, FirstRows(kRows), gradients, step).ok());
  ASSERT_TRUE(rounds.Close().ok());
  EXPECT_EQ(ReadAs<float>(**tensor, FirstRows(kRows)), expected);
}

// Trains a table by rounds with an optimizer, reads ahead at random moments,
// writes between rounds; returns all that was read.
std::vector<float> Train(uint64_t seed, int servers, SparseOptimizerKind kind,
                         bool prefetch, SimNetworkFaults faults) {
  std::vector<float> seen;
  TensorWorld world({.seed = seed, .num_servers = servers, .faults = faults});
  auto context = world.Open(1);
  EXPECT_TRUE(context.ok()) << context.status();
  if (!context.ok()) return seen;
  DistTensorOptions options = Table("emb", 400, 5, DType::kFloat32);
  options.initial.kind = InitialValues::Kind::kNormal;
  options.initial.high = 0.5;
  options.initial.random_seed = 7;
  auto tensor = DistTensor::Create(**context, options);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (!tensor.ok()) return seen;
  EXPECT_TRUE((*tensor)->AttachOptimizer(kind).ok());
  SimRandom random(3, "batches");    // the same whatever the servers
  SimRandom moments(seed, "ahead");  // when to read ahead
  GradientRounds& rounds = (*context)->rounds();
  for (int round = 0; round < 12; ++round) {
    const auto rows = RandomRows(random, 90, 400);
    std::unique_ptr<RowPrefetch> ahead;
    const uint64_t moment = prefetch ? moments.Below(4) : 4;
    const auto begin = [&](uint64_t now) {
      if (now == moment) ahead = (*tensor)->Prefetch(rows);
    };
    begin(0);
    std::map<int64_t, std::vector<float>> sparse;
    for (int i = 0; i < 50; ++i) {
      sparse[static_cast<int64_t>(random.Below(400))] = {
          1, -2, 0.25f * static_cast<float>(i), 4, 0.1f};
    }
    std::vector<int64_t> pushed;
    std::vector<float> gradients;
    for (const auto& [row, gradient] : sparse) {
      pushed.push_back(row);
      gradients.insert(gradients.end(), gradient.begin(), gradient.end());
    }
    EXPECT_TRUE(rounds.Push(**tensor, 0, pushed, gradients, {}).ok());
    begin(1);
    EXPECT_TRUE(rounds.Close().ok());
    begin(2);
    const std::vector<float> values(10, static_cast<float>(round));
    EXPECT_TRUE((*tensor)->Set({rows[0], rows[1]}, BytesOf(values)).ok());
    begin(3);
    if (moments.Chance(0.5)) world.RunFor(absl::Milliseconds(5));
    const auto read = ReadAs<float>(**tensor, rows, std::move(ahead));
    seen.insert(seen.end(), read.begin(), read.end());
  }
  EXPECT_EQ(rounds.closed(), 12);
  return seen;
}

TEST(TensorSimTest, ValuesAreTheSameForAnyNumberOfServers) {
  for (const auto kind :
       {SparseOptimizerKind::kSgd, SparseOptimizerKind::kAdagrad,
        SparseOptimizerKind::kAdam}) {
    const auto one = Train(1, 1, kind, false, {});
    EXPECT_EQ(Train(2, 2, kind, false, {}), one);
    EXPECT_EQ(Train(3, 3, kind, false, SomeFaults()), one);
  }
}

TEST(TensorSimTest, ReadingAheadChangesNoValue) {
  const auto plain = Train(1, 2, SparseOptimizerKind::kAdam, false, {});
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    EXPECT_EQ(Train(seed, 2, SparseOptimizerKind::kAdam, true,
                    seed % 2 == 0 ? SomeFaults() : SimNetworkFaults()),
              plain)
        << "seed " << seed;
  }
}

// w -= lr * g of SGD, worked out by hand.
TEST(TensorSimTest, ARoundStepsOnceByTheSumOfItsPushes) {
  TensorWorld world({});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor =
      DistTensor::Create(**context, Table("w", 10, 2, DType::kFloat32));
  ASSERT_TRUE(tensor.ok());
  ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kSgd).ok());
  GradientRounds& rounds = (*context)->rounds();
  const SparseStepOptions step{.learning_rate = 0.5};
  ASSERT_TRUE(rounds.Push(**tensor, 1, {3, 9}, {1, 2, 3, 4}, step).ok());
  ASSERT_TRUE(rounds.Push(**tensor, 0, {3}, {10, 20}, step).ok());
  EXPECT_EQ(ReadAs<float>(**tensor, {3}), (std::vector<float>{0, 0}));
  ASSERT_TRUE(rounds.Close().ok());
  EXPECT_EQ(ReadAs<float>(**tensor, {3, 9, 4}),
            (std::vector<float>{-5.5, -11, -1.5, -2, 0, 0}));
  EXPECT_TRUE(absl::IsInvalidArgument(
      rounds.Push(**tensor, 0, {4, 3}, {1, 2, 3, 4}, step)));
  EXPECT_TRUE(
      absl::IsInvalidArgument(rounds.Push(**tensor, 0, {4}, {1, 2, 3}, step)));
  EXPECT_TRUE(absl::IsOutOfRange(rounds.Push(**tensor, 0, {10}, {1, 2}, step)));
}

// Float32 addition depends on the order: 1e8 + 1 is 1e8. Each row is a request
// of its own.
TEST(TensorSimTest, LargeRowsAreAddedAndSetInTheirOrder) {
  constexpr int64_t kDim = 150000;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TensorWorld world({.seed = seed, .num_servers = 2});
    auto context = world.Open(1);
    ASSERT_TRUE(context.ok()) << context.status();
    auto tensor =
        DistTensor::Create(**context, Table("t", 500, kDim, DType::kFloat32));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    const std::vector<int64_t> rows = {0, 300, 0, 300, 0, 300};
    std::vector<float> values;
    for (const float value : {1e8f, 7.0f, 1.0f, 8.0f, -1e8f, 9.0f}) {
      values.insert(values.end(), kDim, value);
    }
    ASSERT_TRUE((*tensor)->Add(rows, BytesOf(values)).ok());
    auto read = ReadAs<float>(**tensor, {0, 300});
    EXPECT_EQ(read[0], 0);
    EXPECT_EQ(read[kDim], 24);
    EXPECT_EQ(read[kDim - 1], 0);
    ASSERT_TRUE((*tensor)->Set(rows, BytesOf(values)).ok());
    read = ReadAs<float>(**tensor, {0, 300});
    EXPECT_EQ(read[0], -1e8f);
    EXPECT_EQ(read[kDim], 9);
  }
}

TEST(TensorSimTest, NamesTheServerThatDied) {
  TensorWorld world({.num_servers = 2, .timeout = absl::Seconds(20)});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor =
      DistTensor::Create(**context, Table("t", 5000, 0, DType::kInt64));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  world.fleet().Crash(world.server(1));
  const absl::Time before = world.fleet().world.now();
  const auto rows = FirstRows(5000);
  const absl::Status set = (*tensor)->Set(rows, BytesOf(rows));
  EXPECT_LE(world.fleet().world.now() - before, absl::Seconds(21));
  EXPECT_TRUE(absl::IsUnavailable(set)) << set;
  EXPECT_THAT(std::string(set.message()),
              HasSubstr("the server server1:1, which holds rows of this run"));
  EXPECT_THAT(std::string(set.message()), HasSubstr("--resume"));
  // Everything fails at once from now on, also what is on the other server.
  const absl::Time after = world.fleet().world.now();
  EXPECT_TRUE(absl::IsUnavailable((*context)->Barrier("later")));
  EXPECT_LE(world.fleet().world.now() - after, absl::Seconds(1));
}

TEST(TensorSimTest, NoticesADeadServerThatIsAskedNothing) {
  TensorWorld world({.num_servers = 2, .timeout = absl::Seconds(20)});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  world.fleet().Crash(world.server(1));
  world.RunFor(absl::Seconds(50));
  // A barrier meets on server 0 alone.
  const absl::Status barrier = (*context)->Barrier("b");
  EXPECT_TRUE(absl::IsUnavailable(barrier)) << barrier;
  EXPECT_THAT(std::string(barrier.message()), HasSubstr("server1:1"));
}

TEST(TensorSimTest, KeepsAnIdleAttemptOpen) {
  TensorWorld world({.num_servers = 3, .faults = SomeFaults()});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  // Servers end attempts that no stream has used for a minute.
  for (int minute = 0; minute < 10; ++minute) {
    world.fleet().network.BreakStreamsOf(world.server(minute % 3).executor);
    world.RunFor(absl::Minutes(1));
  }
  auto tensor =
      DistTensor::Create(**context, Table("t", 5000, 0, DType::kInt64));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
}

TEST(TensorSimTest, NamesTheServerThatHasStartedAgain) {
  TensorWorld world({.num_servers = 2});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor =
      DistTensor::Create(**context, Table("t", 5000, 0, DType::kInt64));
  ASSERT_TRUE(tensor.ok());
  world.fleet().Crash(world.server(0));
  world.fleet().Restart(world.server(0));
  const auto rows = FirstRows(5000);
  const absl::Status set = (*tensor)->Set(rows, BytesOf(rows));
  EXPECT_TRUE(absl::IsUnavailable(set)) << set;
  EXPECT_THAT(std::string(set.message()),
              HasSubstr("the server server0:1, which holds rows of this run, "
                        "has started again"));
}

TEST(TensorSimTest, ADrainingServerAsksForACheckpointAndIsNotChosen) {
  bool drained = false;  // until the world has ended
  TensorWorld world({.num_servers = 2});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor =
      DistTensor::Create(**context, Table("t", 5000, 0, DType::kInt64));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const auto rows = FirstRows(5000);
  ASSERT_TRUE((*tensor)->Set(rows, BytesOf(rows)).ok());
  EXPECT_FALSE((*context)->server_draining());
  world.server(1).service->Drain(world.fleet().world.now() + absl::Hours(1),
                                 [&drained] { drained = true; });
  world.RunFor(absl::Seconds(5));
  EXPECT_FALSE(drained);
  EXPECT_EQ(ReadAs<int64_t>(**tensor, rows), rows);
  EXPECT_TRUE((*context)->server_draining());

  auto next = world.Open(2);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ((*next)->tensors().members().size(), 1);
  EXPECT_EQ((*next)->tensors().members()[0].address, "server0:1");
}

TEST(TensorSimTest, OpensOnTheServersThatAnswer) {
  TensorWorld world({.num_servers = 3});
  world.fleet().Crash(world.server(1));
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor =
      DistTensor::Create(**context, Table("t", 300, 0, DType::kInt64));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const auto rows = FirstRows(300);
  ASSERT_TRUE((*tensor)->Set(rows, BytesOf(rows)).ok());
  EXPECT_EQ(ReadAs<int64_t>(**tensor, rows), rows);
}

TEST(TensorSimTest, NoServerIsAnErrorInTime) {
  TensorWorld world({.num_servers = 1, .timeout = absl::Seconds(5)});
  world.fleet().Crash(world.server(0));
  const absl::Time before = world.fleet().world.now();
  const auto context = world.Open(1);
  EXPECT_TRUE(absl::IsDeadlineExceeded(context.status())) << context.status();
  EXPECT_THAT(std::string(context.status().message()), HasSubstr("server0:1"));
  EXPECT_LE(world.fleet().world.now() - before, absl::Seconds(6));
}

TEST(TensorSimTest, ALaterAttemptEndsTheEarlierOne) {
  TensorWorld world({.num_servers = 2});
  auto first = world.Open(1);
  ASSERT_TRUE(first.ok());
  auto kept = Table("kept", 100, 0, DType::kInt64);
  kept.persistent = true;
  const auto rows = FirstRows(100);
  auto old_kept = DistTensor::Create(**first, kept);
  auto old_lost =
      DistTensor::Create(**first, Table("lost", 100, 0, DType::kInt64));
  ASSERT_TRUE((*old_kept)->Set(rows, BytesOf(rows)).ok());
  ASSERT_TRUE((*old_lost)->Set(rows, BytesOf(rows)).ok());
  auto second = world.Open(2);
  ASSERT_TRUE(second.ok()) << second.status();
  const absl::Status late = (*old_kept)->Set(rows, BytesOf(rows));
  EXPECT_TRUE(absl::IsFailedPrecondition(late)) << late;
  auto new_kept = DistTensor::Create(**second, kept);
  ASSERT_TRUE(new_kept.ok()) << new_kept.status();
  auto new_lost =
      DistTensor::Create(**second, Table("lost", 100, 0, DType::kInt64));
  EXPECT_EQ(ReadAs<int64_t>(**new_kept, rows), rows);
  EXPECT_EQ(ReadAs<int64_t>(**new_lost, rows), std::vector<int64_t>(100, 0));
}

// The rows of a tensor that outlives runs stay where they are.
TEST(TensorSimTest, APersistentTensorStaysOnItsServers) {
  TensorWorld world({.num_servers = 3});
  world.fleet().Crash(world.server(2));
  auto kept = Table("kept", 3000, 0, DType::kInt64);
  kept.persistent = true;
  const auto rows = FirstRows(3000);
  {
    auto first = world.Open(1);
    ASSERT_TRUE(first.ok()) << first.status();
    auto tensor = DistTensor::Create(**first, kept);
    ASSERT_TRUE((*tensor)->Set(rows, BytesOf(rows)).ok());
  }
  world.fleet().Restart(world.server(2));
  {
    auto second = world.Open(2);
    ASSERT_TRUE(second.ok()) << second.status();
    auto tensor = DistTensor::Create(**second, kept);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(ReadAs<int64_t>(**tensor, rows), rows);
  }
  world.fleet().Crash(world.server(1));
  world.fleet().Restart(world.server(1));
  auto third = world.Open(3);
  ASSERT_TRUE(third.ok()) << third.status();
  auto tensor = DistTensor::Create(**third, kept);
  EXPECT_TRUE(absl::IsFailedPrecondition(tensor.status())) << tensor.status();
  EXPECT_THAT(std::string(tensor.status().message()), HasSubstr("server1:1"));
}

// The others have given up on it by then, and would begin again without it.
TEST(TensorSimTest, RankZeroEndsWorkThatTakesTooLong) {
  TensorWorld world({.num_servers = 1});
  auto context = world.Open(1);
  ASSERT_TRUE(context.ok()) << context.status();
  absl::Duration worked;
  const auto done = RunTogether(
      (*context)->tensors(), "work", std::string(),
      [&](CollectiveProgress& progress) -> absl::StatusOr<std::string> {
        for (; worked < 2 * kLongestWork; worked += absl::Minutes(1)) {
          RETURN_IF_ERROR(progress.Report());
          world.RunFor(absl::Minutes(1));
        }
        return std::string("done");
      });
  EXPECT_EQ(done.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(std::string(done.status().message()), "work takes longer than 24h");
  EXPECT_LE(worked, kLongestWork + absl::Minutes(1));
}

}  // namespace
}  // namespace tributary
