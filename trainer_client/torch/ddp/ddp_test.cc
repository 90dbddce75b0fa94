// Two real processes: the test runs itself again as ranks.
#include "trainer_client/torch/ddp/ddp.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "absl/strings/str_cat.h"
#include "trainer_client/tensors/initialize.h"
#include "trainer_client/torch/ddp/heartbeat.h"
#include "trainer_client/torch/ddp/rank_launcher.h"

namespace tributary {
namespace {

// --- what a rank does; the last word on the command line names it -----------

std::unique_ptr<ProcessGroup> Connect() {
  const auto environment = RankEnvironment::FromVariables(
      [](const char* name) -> const char* { return std::getenv(name); });
  if (!environment.ok()) return nullptr;
  auto group = ProcessGroup::Connect(*environment, absl::Seconds(20));
  if (!group.ok()) return nullptr;
  return *std::move(group);
}

at::Tensor Parameter(std::vector<float> values) {
  return at::tensor(values).requires_grad_(true);
}

// Fails the rank: each value must be what someone worked out.
#define RANK_CHECK(condition)                                \
  if (!(condition)) {                                        \
    std::fprintf(stderr, "rank %d: %s\n", rank, #condition); \
    return 1;                                                \
  }

int RunCollectives(ProcessGroup& group) {
  const int rank = group.rank();
  std::vector<double> values{rank + 1.0, 10.0 * rank};
  RANK_CHECK(group.Sum(absl::MakeSpan(values)).ok());
  RANK_CHECK(values == (std::vector<double>{3, 10}));
  values = {rank + 1.0, -rank - 5.0};
  RANK_CHECK(group.Max(absl::MakeSpan(values)).ok());
  RANK_CHECK(values == (std::vector<double>{2, -5}));
  // Rank 0 has two values, rank 1 three.
  const auto all = group.Gather(std::vector<double>(2 + rank, 7.5 + rank));
  RANK_CHECK(all.ok());
  RANK_CHECK(*all == (std::vector<double>{7.5, 7.5, 8.5, 8.5, 8.5}));
  const auto text =
      group.BroadcastText(rank == 0 ? std::string("caf\xc3\xa9\0", 6) : "no");
  RANK_CHECK(text.ok());
  RANK_CHECK(*text == std::string("caf\xc3\xa9\0", 6));
  // More values than are summed at a time, each of one rank alone.
  std::vector<float> rows((size_t{2} << 20) + 3);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<int>(i / 5 % 2) == rank) rows[i] = static_cast<float>(i);
  }
  RANK_CHECK(group.Sum(absl::MakeSpan(rows)).ok());
  for (size_t i = 0; i < rows.size(); ++i) {
    RANK_CHECK(rows[i] == static_cast<float>(i));
  }
  return 0;
}

// Rank 1 accumulates one loss of w, rank 0 two losses and a constant.
int RunAccumulated(ProcessGroup& group) {
  const int rank = group.rank();
  at::Tensor w = Parameter({1, 2});
  at::Tensor b = Parameter({7});
  auto ddp = DistributedDataParallel::Create({w, b}, &group);
  RANK_CHECK(ddp.ok());
  for (int step = 0; step < 3; ++step) {
    w.mutable_grad() = at::Tensor();
    b.mutable_grad() = at::Tensor();
    RANK_CHECK((*ddp)->Accumulate(w.sum() * (rank == 0 ? 2 : 1)).ok());
    RANK_CHECK(at::equal(w.grad(), at::full({2}, rank == 0 ? 2.f : 1.f)));
    RANK_CHECK(!b.grad().defined());
    if (rank == 0) RANK_CHECK((*ddp)->Accumulate(at::tensor(5.f)).ok());
    RANK_CHECK((rank == 0 ? (*ddp)->Backward(w.sum() * 4 + b.sum())
                          : (*ddp)->BackwardOfNothing())
                   .ok());
    // The mean of 2 + 4 and 1, and that of 1 and 0.
    RANK_CHECK(at::equal(w.grad(), at::tensor({3.5f, 3.5f})));
    RANK_CHECK(b.grad().item<float>() == 0.5f);
  }
  return 0;
}

int RunRounds(ProcessGroup& group) {
  const int rank = group.rank();
  at::Tensor w = Parameter({1.f + rank, 2.f + rank});
  at::Tensor b = Parameter({7.f - rank});
  auto ddp = DistributedDataParallel::Create({w, b}, &group);
  RANK_CHECK(ddp.ok());
  RANK_CHECK(at::equal(w, at::tensor({1.f, 2.f})));  // rank 0's
  RANK_CHECK(b.item<float>() == 7);
  for (int round = 0; round < 4; ++round) {
    w.mutable_grad() = at::Tensor();
    b.mutable_grad() = at::Tensor();
    // The gradient of w is (3, 3) on rank 0, (5, 5) on rank 1, mean (4, 4).
    const at::Tensor loss = w.sum() * (rank == 0 ? 3 : 5) + b.sum() * round;
    RANK_CHECK((*ddp)->Backward(loss).ok());
    RANK_CHECK(at::equal(w.grad(), at::tensor({4.f, 4.f})));
    RANK_CHECK(b.grad().item<float>() == round);
  }
  // No loss depends on b; that of rank 1 does not depend on w either.
  w.mutable_grad() = at::Tensor();
  b.mutable_grad() = at::Tensor();
  at::Tensor constant = at::tensor(1.f).requires_grad_(true);
  RANK_CHECK((*ddp)->Backward(rank == 0 ? w.sum() : constant * 2).ok());
  RANK_CHECK(at::equal(w.grad(), at::tensor({0.5f, 0.5f})));
  RANK_CHECK(b.grad().item<float>() == 0);
  // Rank 1 has no batch, and a parameter that is not finite.
  w.mutable_grad() = at::Tensor();
  b.mutable_grad() = at::Tensor();
  b.detach().fill_(std::numeric_limits<float>::infinity());
  RANK_CHECK((rank == 0 ? (*ddp)->Backward(w.sum() * 3 + b.sum())
                        : (*ddp)->BackwardOfNothing())
                 .ok());
  RANK_CHECK(at::equal(w.grad(), at::tensor({1.5f, 1.5f})));
  RANK_CHECK(b.grad().item<float>() == 0.5f);
  return 0;
}

// A user's own loop: gradients are cleared by torch's calls, and each round
// sets the mean of the ranks' gradients, in the same bucket.
int RunZeroGrad(ProcessGroup& group) {
  const int rank = group.rank();
  torch::nn::Linear model(2, 1);
  const std::vector<at::Tensor> parameters = model->parameters();
  const at::Tensor w = model->weight;
  torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(0.1));
  auto ddp = DistributedDataParallel::Create(parameters, &group);
  RANK_CHECK(ddp.ok());
  // Rank 0's gradient of w is (1, 1), rank 1's (3, 3); the mean is (2, 2).
  const at::Tensor x = at::full({1, 2}, rank == 0 ? 1.f : 3.f);
  const uint64_t bytes = (2 + 1) * sizeof(float);  // of both gradients
  const void* bucket = nullptr;
  enum { kToNone, kOfModule, kToZeros, kNotAtAll };
  for (const int clear : {kToNone, kToNone, kOfModule, kToZeros, kNotAtAll}) {
    const at::Tensor before = w.detach().clone();
    if (clear == kToNone) optimizer.zero_grad();
    if (clear == kOfModule) model->zero_grad();
    if (clear == kToZeros) optimizer.zero_grad(/*set_to_none=*/false);
    const bool kept = clear == kToZeros || clear == kNotAtAll;
    RANK_CHECK(w.grad().defined() == kept);
    const uint64_t copied = (*ddp)->copied_bytes();
    RANK_CHECK((*ddp)->Backward(model(x).sum()).ok());
    // Gradients that were kept are in their buckets already.
    RANK_CHECK((*ddp)->copied_bytes() - copied == (kept ? 0 : bytes));
    const float mean = clear == kNotAtAll ? 2 + 2 : 2;
    RANK_CHECK(at::equal(w.grad(), at::full({1, 2}, mean)));
    if (bucket == nullptr) bucket = w.grad().const_data_ptr();
    RANK_CHECK(w.grad().const_data_ptr() == bucket);
    optimizer.step();
    RANK_CHECK(at::allclose(w, before - 0.1 * mean));
  }
  return 0;
}

// Rank 1 is gone: rank 0 must get an error, and soon.
int RunDeadPeer(ProcessGroup& group) {
  const int rank = group.rank();
  if (rank == 1) std::_Exit(0);
  std::vector<double> values{1};
  RANK_CHECK(!group.Sum(absl::MakeSpan(values)).ok());
  return 0;
}

// Fails once both are connected: a rank whose peer has gone before that cannot
// connect, and would fail with another code.
int RunFailure(ProcessGroup& group) {
  std::vector<double> values{1};
  // The peer may be gone as soon as it has its own sum.
  group.Sum(absl::MakeSpan(values)).IgnoreError();
  return 3 + group.rank();
}

// Rank 1's training loop hangs after its first round; its process lives.
int RunHang() {
  const char* local = std::getenv("LOCAL_RANK");
  const auto heartbeat = Heartbeat::Start(
      std::atoi(local),
      [](const char* name) -> const char* { return std::getenv(name); });
  if (!heartbeat.ok()) return 1;
  (*heartbeat)->Progress();
  if (std::string(local) == "0") return 0;
  for (;;) pause();
}

int RunRank(const std::string& what) {
  EndWithLauncher();
  if (what == "hang") return RunHang();
  const std::unique_ptr<ProcessGroup> group = Connect();
  if (group == nullptr || group->world() != 2) return 1;
  if (what == "collectives") return RunCollectives(*group);
  if (what == "rounds") return RunRounds(*group);
  if (what == "accumulated") return RunAccumulated(*group);
  if (what == "zero-grad") return RunZeroGrad(*group);
  if (what == "dead-peer") return RunDeadPeer(*group);
  return what == "fail" ? RunFailure(*group) : 1;
}

// --- the tests ---------------------------------------------------------------

int Launch(const std::string& what) {
  const auto code = RunRanks({.num_ranks = 2,
                              .argv = {"/proc/self/exe", "--rank", what},
                              .graces = {.failed = absl::Seconds(10)}});
  EXPECT_TRUE(code.ok()) << code.status();
  return code.value_or(-1);
}

TEST(ProcessGroupTest, Collectives) { EXPECT_EQ(Launch("collectives"), 0); }

TEST(ProcessGroupTest, DeadPeerIsAnError) { EXPECT_EQ(Launch("dead-peer"), 0); }

TEST(ProcessGroupTest, AloneItTalksToNobody) {
  auto group = ProcessGroup::Connect(RankEnvironment(), absl::Seconds(1));
  ASSERT_TRUE(group.ok());
  std::vector<double> values{4};
  EXPECT_TRUE((*group)->Sum(absl::MakeSpan(values)).ok());
  EXPECT_EQ(values[0], 4);
}

TEST(ProcessGroupTest, InitializeComesBefore) {
  ASSERT_TRUE(ProcessGroup::Connect(RankEnvironment(), absl::Seconds(1)).ok());
  const absl::Status late = Initialize({});
  EXPECT_TRUE(absl::IsFailedPrecondition(late)) << late;
  EXPECT_NE(late.message().find("process group"), std::string::npos) << late;
}

TEST(ProcessGroupTest, NobodyAtTheMaster) {
  RankEnvironment environment;
  environment.rank = 1;
  environment.world = 2;
  environment.master_addr = "127.0.0.1";
  environment.master_port = 1;
  const auto group = ProcessGroup::Connect(environment, absl::Seconds(1));
  EXPECT_EQ(group.status().code(), absl::StatusCode::kUnavailable);
}

TEST(DistributedDataParallelTest, AveragesRounds) {
  EXPECT_EQ(Launch("rounds"), 0);
}

TEST(DistributedDataParallelTest, AveragesAccumulatedRounds) {
  EXPECT_EQ(Launch("accumulated"), 0);
}

TEST(DistributedDataParallelTest, OptimizersClearGradients) {
  EXPECT_EQ(Launch("zero-grad"), 0);
}

TEST(DistributedDataParallelTest, AloneGradientsAreItsOwn) {
  auto group = ProcessGroup::Connect(RankEnvironment(), absl::Seconds(1));
  ASSERT_TRUE(group.ok());
  at::Tensor w = Parameter({1, 2});
  auto ddp = DistributedDataParallel::Create({w}, group->get());
  ASSERT_TRUE(ddp.ok());
  ASSERT_TRUE((*ddp)->Backward(w.sum() * 2).ok());
  EXPECT_TRUE(at::equal(w.grad(), at::tensor({2.f, 2.f})));
}

TEST(RankLauncherTest, FirstFailureIsTheExitCode) {
  const int code = Launch("fail");
  EXPECT_TRUE(code == 3 || code == 4) << code;
}

TEST(RankLauncherTest, AHangIsFoundThoughTheProcessLives) {
  ::testing::internal::CaptureStderr();
  const auto code = RunRanks({.num_ranks = 2,
                              .argv = {"/proc/self/exe", "--rank", "hang"},
                              .limits = {.progress = absl::Seconds(2)}});
  const std::string log = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, 1);
  EXPECT_NE(log.find("is frozen: no progress for 2 s, though its process"),
            std::string::npos)
      << log;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--rank") {
    return tributary::RunRank(argv[2]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
