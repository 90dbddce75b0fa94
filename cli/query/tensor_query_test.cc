// Real servers over loopback.
#include "cli/query/tensor_query.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(20);

TEST(TensorQueryTest, ListsAndDropsWhatRunsHaveLeft) {
  TemporaryFolder folder;
  GraphSpec graph;
  graph.num_nodes = 4;
  graph.edges = {{0, 1}};
  WriteGraphTo(graph, folder.File("graph"));
  std::vector<std::unique_ptr<SamplerServer>> servers;
  std::string list;
  for (int i = 0; i < 2; ++i) {
    SamplerServerOptions options;
    options.graphs = {{folder.File("graph"), {}}};
    options.threads = 1;
    servers.push_back(SamplerServer::Start(options).value());
    absl::StrAppend(&list, i == 0 ? "" : ",",
                    servers.back()->address().ToString());
  }
  RemoteDistSamplingWorkerOptions remote;
  remote.servers = list;
  remote.worker_key = "mag";
  const auto workers = SamplingWorkers::Open(remote).value();
  auto context = DistContext::Open(workers.get(), {});
  ASSERT_TRUE(context.ok()) << context.status();
  DistTensorOptions emb;
  emb.name = "emb";
  emb.num_rows = 500;
  emb.dim = 3;
  emb.persistent = true;
  {
    auto tensor = DistTensor::Create(**context, emb);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    ASSERT_TRUE((*tensor)->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
    emb.name = "scratch";
    emb.persistent = false;
    ASSERT_TRUE(DistTensor::Create(**context, emb).ok());
  }
  // Not while a run uses it.
  EXPECT_TRUE(absl::IsFailedPrecondition(
      DropTensors({list}, "mag", "emb", kTimeout).status()));
  ASSERT_TRUE((*context)->Close().ok());

  auto answers = AskForTensors({list}, "mag", kTimeout);
  ASSERT_TRUE(answers.ok()) << answers.status();
  ASSERT_EQ(answers->size(), 2);
  uint64_t rows = 0;
  for (const TensorAnswer& answer : *answers) {
    ASSERT_TRUE(answer.tensors.ok()) << answer.tensors.status();
    ASSERT_EQ(answer.tensors->tensors_size(), 1);
    EXPECT_THAT(
        DescribeTensor(answer.tensors->tensors(0)),
        AllOf(HasSubstr("emb job=mag graph="),
              HasSubstr("rows=500 dim=3 float32 optimizer=adam local="),
              HasSubstr("written=0"), HasSubstr("attempt=0 persistent")));
    rows += answer.tensors->tensors(0).local_rows();
  }
  EXPECT_GE(rows, 500);  // whole blocks of 64
  const auto json = nlohmann::json::parse(TensorsToJson(*answers));
  EXPECT_EQ(json["servers"][0]["tensors"][0]["name"], "emb");
  EXPECT_EQ(
      AskForTensors({list}, "other", kTimeout)->at(0).tensors->tensors_size(),
      0);

  EXPECT_TRUE(
      absl::IsNotFound(DropTensors({list}, "other", "emb", kTimeout).status()));
  EXPECT_EQ(DropTensors({list}, "mag", "emb", kTimeout).value(), 2);
  EXPECT_TRUE(
      absl::IsNotFound(DropTensors({list}, "mag", "emb", kTimeout).status()));
  EXPECT_EQ(AskForTensors({list}, "", kTimeout)->at(1).tensors->tensors_size(),
            0);

  const std::string gone = servers[1]->address().ToString();
  servers[1] = nullptr;
  answers = AskForTensors({list}, "", absl::Seconds(2));
  ASSERT_TRUE(answers.ok());
  int silent = 0;
  for (const TensorAnswer& answer : *answers) {
    silent += answer.tensors.ok() ? 0 : 1;
    EXPECT_EQ(answer.tensors.ok(), answer.address != gone);
  }
  EXPECT_EQ(silent, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(
      AskForTensors({"nonsense"}, "", kTimeout).status()));
}

}  // namespace
}  // namespace tributary
