// Mutable rows on real threads: several writers and readers of one server, for
// ThreadSanitizer as well.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "channel/in_process_transport.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/tensors/testing/tensor_caller.h"

namespace tributary {
namespace {

constexpr uint32_t kRanks = 4;
constexpr uint64_t kRounds = 15;

class TensorThreadsTest : public ::testing::Test {
 protected:
  TensorThreadsTest() {
    GraphSpec graph;
    graph.num_nodes = 2;
    graph.edges = {{1, 0}};
    graph_ = BuildGraph(graph);
    SamplerServiceOptions options;
    options.incarnation = 1;
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    environment.data_executor = &data_;
    service_ = std::make_shared<SamplerService>(options, environment,
                                                ServedGraph{graph_});
    transport_.Listen(address_, service_);
  }
  std::unique_ptr<TensorCaller> Connect(uint32_t rank) {
    v1::AttemptRef ref;
    const auto& digest = graph_->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(1);
    ref.set_rank(rank);
    ref.set_client(rank + 1);
    return std::make_unique<TensorCaller>(&transport_, address_, &pool_,
                                          nullptr, ref);
  }
  // Sends and blocks until the reply has come.
  template <typename Reply, typename Request>
  static absl::StatusOr<TensorReply<Reply>> Ask(
      TensorCaller& caller, MessageKind kind, Request request,
      std::vector<uint8_t> payload = {}) {
    auto answered =
        std::make_shared<Promised<absl::StatusOr<TensorReply<Reply>>>>();
    caller.Start<Reply>(kind, std::move(request), std::move(payload),
                        [answered](absl::StatusOr<TensorReply<Reply>> reply) {
                          answered->Set(std::move(reply));
                        });
    auto reply = answered->Wait(absl::Seconds(90));
    if (!reply.has_value()) return absl::UnknownError("no answer came");
    return *std::move(reply);
  }
  void Open(TensorCaller& caller) {
    v1::OpenAttemptRequest open;
    open.set_world(kRanks);
    auto& member = *open.add_members();
    member.set_address("here:1");
    member.set_incarnation(1);
    ASSERT_TRUE(Ask<v1::OpenAttemptReply>(
                    caller, MessageKind::kOpenAttemptRequest, open)
                    .ok());
    for (const auto& [name, dtype] :
         {std::pair("counts", DType::kInt64), {"emb", DType::kFloat32}}) {
      v1::CreateTensorRequest create;
      *create.mutable_spec() = FloatSpec(name, 1000, 2);
      create.mutable_spec()->set_dtype(static_cast<uint32_t>(dtype));
      ASSERT_TRUE(Ask<v1::CreateTensorReply>(
                      caller, MessageKind::kCreateTensorRequest, create)
                      .ok());
    }
    v1::AttachOptimizerRequest attach;
    attach.set_name("emb");
    attach.set_optimizer(v1::SPARSE_SGD);
    ASSERT_TRUE(Ask<v1::AttachOptimizerReply>(
                    caller, MessageKind::kAttachOptimizerRequest, attach)
                    .ok());
  }
  // Every rank adds 1 to all rows, pushes 1 to all rows, and reads them.
  static void RunRank(TensorCaller& caller, uint32_t rank,
                      const std::vector<uint64_t>& rows) {
    uint64_t sequence = 0;
    for (uint64_t round = 1; round <= kRounds; ++round) {
      v1::WriteRowsRequest write;
      write.set_name("counts");
      write.set_op(v1::WRITE_ADD);
      write.set_num_rows(rows.size());
      write.set_sequence(++sequence);
      write.set_oldest_open(sequence);
      const std::vector<int64_t> ones(2 * rows.size(), 1);
      ASSERT_TRUE(Ask<v1::WriteRowsReply>(caller,
                                          MessageKind::kWriteRowsRequest, write,
                                          RowsAndValues(rows, ones))
                      .ok());
      v1::PushRoundRequest push;
      push.set_round(round);
      push.set_closes(true);
      auto& one = *push.add_pushes();
      one.set_name("emb");
      one.set_num_rows(rows.size());
      one.set_place(rank);
      one.mutable_step()->set_learning_rate(-1);
      const std::vector<float> gradients(2 * rows.size(), 1);
      ASSERT_TRUE(Ask<v1::PushRoundReply>(caller,
                                          MessageKind::kPushRoundRequest, push,
                                          RowsAndValues(rows, gradients))
                      .ok());
      v1::ReadRowsRequest read;
      read.set_name("emb");
      read.set_num_rows(rows.size());
      read.set_after_round(round);
      read.set_max_reply_bytes(1 << 20);
      read.set_timeout_ms(60'000);
      const auto reply =
          Ask<v1::ReadRowsReply>(caller, MessageKind::kReadRowsRequest, read,
                                 RowsAndValues<uint8_t>(rows, {}));
      ASSERT_TRUE(reply.ok()) << reply.status();
      // Nobody steps again before this rank closes the next round.
      const auto values = reply->As<float>();
      ASSERT_EQ(
          static_cast<size_t>(std::count(values.begin(), values.end(),
                                         static_cast<float>(kRanks * round))),
          values.size());
    }
  }

  const Address address_{"here", 1};
  std::shared_ptr<const Graph> graph_;
  ThreadPool pool_{"pool", 2};
  ThreadPool data_{"data", 3};
  InProcessTransport transport_{&pool_};
  std::shared_ptr<SamplerService> service_;
};

TEST_F(TensorThreadsTest, ConcurrentRanksCountEachAddAndStepTogether) {
  std::vector<std::unique_ptr<TensorCaller>> callers;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    callers.push_back(Connect(rank));
  }
  Open(*callers[0]);
  std::vector<uint64_t> rows;
  for (uint64_t row = 0; row < 1000; row += 3) rows.push_back(row);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] { RunRank(*callers[rank], rank, rows); });
  }
  for (std::thread& thread : threads) thread.join();
  v1::ReadRowsRequest read;
  read.set_name("counts");
  read.set_num_rows(rows.size());
  read.set_max_reply_bytes(1 << 20);
  const auto counts =
      Ask<v1::ReadRowsReply>(*callers[0], MessageKind::kReadRowsRequest, read,
                             RowsAndValues<uint8_t>(rows, {}));
  ASSERT_TRUE(counts.ok()) << counts.status();
  for (int64_t value : counts->As<int64_t>()) {
    ASSERT_EQ(value, static_cast<int64_t>(kRanks * kRounds));
  }
  // The service ends while the attempt is open.
  service_->Drain(pool_.Now(), [] {});
}

}  // namespace
}  // namespace tributary
