// Tensors over real servers: in the process, and by several ranks over
// loopback.
#include "trainer_client/tensors/dist_tensor.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/tensor_client.h"
#include "trainer_client/tensors/tensor_snapshot.h"
#include "trainer_client/tensors/testing/tensor_world.h"

namespace tributary {
namespace {

using testing::HasSubstr;

constexpr int64_t kNodes = 300;

class DistTensorTest : public testing::Test {
 protected:
  DistTensorTest() {
    GraphSpec graph;
    graph.num_nodes = kNodes;
    graph.edges = {{0, 1}, {1, 2}};
    WriteGraphTo(graph, folder_.File("graph"));
  }

  // Starts servers and keeps them.
  void Serve(int count) {
    for (int i = 0; i < count; ++i) {
      SamplerServerOptions options;
      options.graphs = {{folder_.File("graph"), {}}};
      options.threads = 1;
      servers_.push_back(SamplerServer::Start(options).value());
    }
  }
  std::unique_ptr<SamplingWorkers> Collocated() {
    CollocatedDistSamplingWorkerOptions options;
    options.graph = folder_.File("graph");
    options.num_threads = 1;
    return SamplingWorkers::Open(options).value();
  }
  std::unique_ptr<SamplingWorkers> Remote() {
    RemoteDistSamplingWorkerOptions options;
    options.servers =
        absl::StrJoin(servers_, ",", [](std::string* out, const auto& server) {
          absl::StrAppend(out, server->address().ToString());
        });
    return SamplingWorkers::Open(options).value();
  }
  // Runs `rank` in a thread for each rank of a group over the servers.
  void RunRanks(int world, absl::Duration timeout, uint64_t attempt,
                const std::function<void(DistContext&)>& rank) {
    std::vector<std::thread> threads;
    for (int r = 0; r < world; ++r) {
      threads.emplace_back([&, r] {
        const auto workers = Remote();
        auto context = DistContext::Open(workers.get(), {.rank = r,
                                                         .world_size = world,
                                                         .attempt = attempt,
                                                         .timeout = timeout});
        ASSERT_TRUE(context.ok()) << "rank " << r << ": " << context.status();
        rank(**context);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  TemporaryFolder folder_;
  std::vector<std::unique_ptr<SamplerServer>> servers_;
};

DistTensorOptions OfNodes(std::string name, DType dtype, int64_t dim) {
  DistTensorOptions options;
  options.name = std::move(name);
  options.policy = "node:node";
  options.dtype = dtype;
  options.dim = dim;
  return options;
}

// DGL's test of its own: feature[id] == id.
TEST_F(DistTensorTest, ARowOfEachIdInTheProcess) {
  const auto workers = Collocated();
  auto context = DistContext::Open(workers.get(), {});
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor = DistTensor::Create(**context, OfNodes("f", DType::kInt64, 0));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ((*tensor)->options().num_rows, kNodes);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < kNodes; ++i) ids.push_back(i * 7 % kNodes);
  ASSERT_TRUE((*tensor)->Set(ids, BytesOf(ids)).ok());
  const std::vector<int64_t> some = {299, 0, 17, 17, 4};
  EXPECT_EQ(ReadAs<int64_t>(**tensor, some), some);
  EXPECT_EQ(ReadAs<int64_t>(**tensor, {}), std::vector<int64_t>{});
  // Of a row that comes twice the last value wins; added are both.
  ASSERT_TRUE((*tensor)->Set({5, 6, 5}, BytesOf<int64_t>({1, 2, 3})).ok());
  ASSERT_TRUE((*tensor)->Add({5, 6, 5}, BytesOf<int64_t>({10, 20, 30})).ok());
  EXPECT_EQ(ReadAs<int64_t>(**tensor, {5, 6, 7}),
            (std::vector<int64_t>{43, 22, 7}));
}

TEST_F(DistTensorTest, RefusesWhatIsOutOfRange) {
  const auto workers = Collocated();
  auto context = DistContext::Open(workers.get(), {});
  ASSERT_TRUE(context.ok()) << context.status();
  auto tensor = DistTensor::Create(**context, OfNodes("f", DType::kInt64, 0));
  ASSERT_TRUE(tensor.ok());
  std::vector<int64_t> out(2);
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(out.data()),
                                    2 * sizeof(int64_t));
  EXPECT_TRUE(absl::IsOutOfRange((*tensor)->Read({0, kNodes}, bytes)));
  EXPECT_TRUE(absl::IsOutOfRange((*tensor)->Read({-1, 0}, bytes)));
  EXPECT_TRUE(absl::IsInvalidArgument((*tensor)->Read({1}, bytes)));
  EXPECT_TRUE(absl::IsOutOfRange(
      (*tensor)->Set({0, kNodes}, BytesOf<int64_t>({8, 8}))));
  EXPECT_EQ(ReadAs<int64_t>(**tensor, {0}), std::vector<int64_t>{0});

  const auto refused = [&](DistTensorOptions options) {
    return std::string(
        DistTensor::Create(**context, options).status().message());
  };
  auto wrong = OfNodes("g", DType::kInt64, 0);
  wrong.num_rows = 7;
  EXPECT_THAT(refused(wrong), HasSubstr("gives 300"));
  wrong = OfNodes("g", DType::kInt64, 0);
  wrong.policy = "node:author";
  EXPECT_THAT(refused(wrong), HasSubstr("no such type"));
  wrong.policy = "row";
  EXPECT_THAT(refused(wrong), HasSubstr("allowed: node:TYPE"));
  EXPECT_THAT(refused(OfNodes("", DType::kInt64, 0)), HasSubstr("1 to 300"));
  EXPECT_THAT(refused(OfNodes("g", DType::kInt64, 1 << 20)),
              HasSubstr("dim = 1048576"));
  wrong = OfNodes("g", DType::kInt64, 0);
  wrong.initial.kind = InitialValues::Kind::kNormal;
  EXPECT_THAT(refused(wrong), HasSubstr("zeros or ones"));
  wrong = OfNodes("g", DType::kInt64, 0);
  wrong.policy = "";
  wrong.num_rows = int64_t{1} << 47;
  EXPECT_TRUE(
      absl::IsResourceExhausted(DistTensor::Create(**context, wrong).status()));
}

TEST_F(DistTensorTest, OneNameIsOneTensor) {
  const auto workers = Collocated();
  auto context = DistContext::Open(workers.get(), {});
  ASSERT_TRUE(context.ok()) << context.status();
  const auto options = OfNodes("f", DType::kFloat32, 2);
  auto first = DistTensor::Create(**context, options);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE((*first)->Set({3}, BytesOf<float>({1, 2})).ok());
  auto second = DistTensor::Create(**context, options);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(ReadAs<float>(**second, {3}), (std::vector<float>{1, 2}));
  EXPECT_TRUE(absl::IsAlreadyExists(
      DistTensor::Create(**context, OfNodes("f", DType::kFloat32, 3))
          .status()));
  EXPECT_TRUE(absl::IsAlreadyExists(
      DistTensor::Create(**context, OfNodes("f", DType::kInt32, 2)).status()));

  auto copy = DistTensor::Create(**context, OfNodes("c", DType::kFloat32, 2));
  ASSERT_TRUE((*copy)->CopyFrom(**first).ok());
  EXPECT_EQ(ReadAs<float>(**copy, {3, 4}), (std::vector<float>{1, 2, 0, 0}));
  ASSERT_TRUE((*first)->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
  ASSERT_TRUE((*first)->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(
      (*first)->AttachOptimizer(SparseOptimizerKind::kSgd)));

  ASSERT_TRUE((*first)->Drop().ok());
  EXPECT_TRUE(absl::IsNotFound((*second)->Set({3}, BytesOf<float>({1, 2}))));
  auto again = DistTensor::Create(**context, options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ReadAs<float>(**again, {3}), (std::vector<float>{0, 0}));
}

TEST_F(DistTensorTest, OtherRanksCannotReachServersOfAProcess) {
  const auto workers = Collocated();
  const auto context =
      DistContext::Open(workers.get(), {.rank = 0, .world_size = 2});
  EXPECT_TRUE(absl::IsInvalidArgument(context.status()));
  EXPECT_THAT(std::string(context.status().message()), HasSubstr("remote"));
  EXPECT_TRUE(absl::IsInvalidArgument(
      DistContext::Open(workers.get(), {.rank = 1}).status()));
}

TEST_F(DistTensorTest, RanksShareRowsAndStepTogether) {
  Serve(2);
  for (const uint64_t attempt : {uint64_t{0}, uint64_t{1} << 62}) {
    RunRanks(3, absl::Seconds(30), attempt, [](DistContext& context) {
      const int rank = context.rank();
      auto tensor =
          DistTensor::Create(context, OfNodes("w", DType::kFloat32, 1));
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kSgd).ok());
      // A rank without rows closes rounds, too.
      for (int round = 1; round <= 5; ++round) {
        if (rank != 1) {
          ASSERT_TRUE(context.rounds()
                          .Push(**tensor, static_cast<uint32_t>(rank), {7, 100},
                                {1.0f, static_cast<float>(rank)},
                                {.learning_rate = 1})
                          .ok());
        }
        ASSERT_TRUE(context.rounds().Close().ok());
        EXPECT_EQ(ReadAs<float>(**tensor, {7, 100, 8}),
                  (std::vector<float>{-2.0f * round, -2.0f * round, 0}));
      }
      const auto all = context.AllGather("ranks", std::to_string(rank));
      ASSERT_TRUE(all.ok()) << all.status();
      EXPECT_EQ(*all, (std::vector<std::string>{"0", "1", "2"}));
      EXPECT_TRUE(context.Close().ok());
    });
  }
}

// The same batches, whoever pushes them.
TEST_F(DistTensorTest, ThreeRanksStepAsOneDoes) {
  Serve(2);
  std::vector<std::vector<float>> ends;
  for (const int world : {1, 3}) {
    Mutex mutex;
    RunRanks(world, absl::Seconds(30), 0, [&](DistContext& context) {
      auto options = OfNodes("emb", DType::kFloat32, 3);
      options.initial.kind = InitialValues::Kind::kXavierUniform;
      options.initial.low = 1;
      auto tensor = DistTensor::Create(context, options);
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
      std::unique_ptr<RowPrefetch> ahead;
      for (int round = 0; round < 6; ++round) {
        for (int place = context.rank(); place < 3; place += world) {
          std::vector<int64_t> rows;
          std::vector<float> gradients;
          for (int64_t row = round; row < kNodes; row += 2 + place) {
            rows.push_back(row);
            for (int c = 0; c < 3; ++c) {
              gradients.push_back(
                  1.0f / static_cast<float>(1 + row + c + place) - 0.1f);
            }
          }
          ASSERT_TRUE(context.rounds()
                          .Push(**tensor, static_cast<uint32_t>(place), rows,
                                gradients, {.scale = 1.0 / 3})
                          .ok());
        }
        ASSERT_TRUE(context.rounds().Close().ok());
        ahead = (*tensor)->Prefetch(FirstRows(kNodes));
      }
      const auto end =
          ReadAs<float>(**tensor, FirstRows(kNodes), std::move(ahead));
      ASSERT_TRUE(context.Close().ok());
      MutexLock lock(mutex);
      ends.push_back(end);
    });
  }
  ASSERT_EQ(ends.size(), 4);
  for (const auto& end : ends) EXPECT_EQ(end, ends[0]);
}

TEST_F(DistTensorTest, AllRanksSaveAndGoOn) {
  Serve(2);
  std::filesystem::create_directory(folder_.File("s"));
  const auto path_for =
      [this](const std::string& name) -> absl::StatusOr<std::string> {
    return folder_.File("s/" + name);
  };
  const auto options = OfNodes("w", DType::kFloat32, 1);
  RunRanks(2, absl::Seconds(30), 1, [&](DistContext& context) {
    auto tensor = DistTensor::Create(context, options);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kSgd).ok());
    ASSERT_TRUE(context.rounds()
                    .Push(**tensor, static_cast<uint32_t>(context.rank()), {5},
                          {-2}, {.learning_rate = 1})
                    .ok());
    ASSERT_TRUE(context.rounds().Close().ok());
    const absl::Status saved = WriteTensorSnapshot(context, path_for);
    EXPECT_TRUE(saved.ok()) << saved;
    // Of a second one all ranks hear that the files are there already.
    EXPECT_TRUE(absl::IsAlreadyExists(WriteTensorSnapshot(context, path_for)));
  });
  RunRanks(2, absl::Seconds(30), 2, [&](DistContext& context) {
    // So they do of a snapshot that is not there.
    EXPECT_TRUE(absl::IsNotFound(
        context.RestoreFrom(context.rank() == 0 ? folder_.File("none") : "")));
    ASSERT_TRUE(
        context.RestoreFrom(context.rank() == 0 ? folder_.File("s") : "").ok());
    EXPECT_EQ(context.rounds().closed(), 1);
    auto tensor = DistTensor::Create(context, options);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(ReadAs<float>(**tensor, {4, 5}), (std::vector<float>{0, 4}));
  });
}

// Rank 0 may work longer than others wait at a meeting.
TEST_F(DistTensorTest, OthersWaitWhileRankZeroWorks) {
  Serve(1);
  // Long enough for a busy machine, which has missed 0.6 s.
  RunRanks(2, absl::Seconds(3), 1, [&](DistContext& context) {
    TensorClient& client = context.tensors();
    const auto done = RunTogether(
        client, "work", std::string(),
        [&](CollectiveProgress& progress) -> absl::StatusOr<std::string> {
          const absl::Time end = client.strand().Now() + absl::Seconds(4.5);
          while (client.strand().Now() < end) {
            RETURN_IF_ERROR(progress.Report());
          }
          return std::string("done");
        });
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_EQ(*done, "done");
  });
}

TEST_F(DistTensorTest, RanksMustAskForTheSame) {
  Serve(2);
  RunRanks(2, absl::Seconds(30), 1, [](DistContext& context) {
    auto options = OfNodes("w", DType::kFloat32, 1 + context.rank());
    const auto tensor = DistTensor::Create(context, options);
    EXPECT_TRUE(absl::IsInvalidArgument(tensor.status())) << tensor.status();
    EXPECT_THAT(std::string(tensor.status().message()), HasSubstr("rank 1"));
    // They may go on.
    EXPECT_TRUE(context.Barrier("b").ok());
    options = OfNodes(context.rank() == 0 ? "" : "w", DType::kFloat32, 1);
    EXPECT_FALSE(DistTensor::Create(context, options).ok());
    const absl::Status met = context.Barrier(absl::StrCat(context.rank()));
    EXPECT_TRUE(absl::IsInvalidArgument(met)) << met;
  });
}

TEST_F(DistTensorTest, NamesTheRankThatDoesNotCome) {
  Serve(1);
  RunRanks(2, absl::Seconds(2), 1, [](DistContext& context) {
    if (context.rank() == 1) return;
    const auto tensor =
        DistTensor::Create(context, OfNodes("w", DType::kFloat32, 1));
    EXPECT_TRUE(absl::IsDeadlineExceeded(tensor.status())) << tensor.status();
    EXPECT_THAT(std::string(tensor.status().message()), HasSubstr("rank 1"));
  });
}

TEST_F(DistTensorTest, ARankThatReadsWaitsForTheRoundsOfOthers) {
  Serve(1);
  RunRanks(2, absl::Seconds(2), 1, [](DistContext& context) {
    auto tensor = DistTensor::Create(context, OfNodes("w", DType::kFloat32, 1));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    if (context.rank() == 1) return;
    ASSERT_TRUE(context.rounds().Close().ok());
    float value = 0;
    const absl::Status read = (*tensor)->Read(
        {0}, absl::MakeSpan(reinterpret_cast<uint8_t*>(&value), 4));
    EXPECT_TRUE(absl::IsDeadlineExceeded(read)) << read;
    EXPECT_THAT(std::string(read.message()), HasSubstr("rank 1"));
  });
}

TEST_F(DistTensorTest, SaysWhoOpensTheRunAndOfHowManyRanks) {
  Serve(1);
  const auto workers = Remote();
  const auto alone = DistContext::Open(
      workers.get(), {.rank = 1, .world_size = 2, .timeout = absl::Seconds(1)});
  EXPECT_TRUE(absl::IsDeadlineExceeded(alone.status())) << alone.status();
  EXPECT_THAT(std::string(alone.status().message()),
              HasSubstr("rank 0 has not opened the run"));
  std::thread zero([&] {
    const auto of_zero = Remote();
    (void)DistContext::Open(
        of_zero.get(),
        {.rank = 0, .world_size = 3, .timeout = absl::Seconds(3)});
  });
  const auto other = DistContext::Open(
      workers.get(),
      {.rank = 1, .world_size = 2, .timeout = absl::Seconds(20)});
  zero.join();
  EXPECT_TRUE(absl::IsInvalidArgument(other.status())) << other.status();
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("3 ranks"));
}

TEST_F(DistTensorTest, AServerThatEndsEndsTheRunByName) {
  Serve(2);
  const auto workers = Remote();
  auto context =
      DistContext::Open(workers.get(), {.timeout = absl::Seconds(3)});
  ASSERT_TRUE(context.ok()) << context.status();
  auto options = OfNodes("w", DType::kInt64, 0);
  options.policy = "";
  options.num_rows = 20000;  // on both
  auto tensor = DistTensor::Create(**context, options);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const std::string gone = servers_[1]->address().ToString();
  servers_[1] = nullptr;
  const auto rows = FirstRows(20000);
  const absl::Status set = (*tensor)->Set(rows, BytesOf(rows));
  EXPECT_TRUE(absl::IsUnavailable(set)) << set;
  EXPECT_THAT(std::string(set.message()), HasSubstr(gone));
  servers_.pop_back();
}

}  // namespace
}  // namespace tributary
