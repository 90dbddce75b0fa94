// Tensors whose rows are in worker processes of the trainer (mode mp), their
// loss when one is killed, and the graph that the workers hold.
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

class MpModeTest : public testing::Test {
 protected:
  std::unique_ptr<SamplingWorkers> Workers(int count) {
    GraphSpec graph;
    graph.num_nodes = 5000;
    graph.edges = {{0, 1}, {1, 2}, {3, 2}};
    graph.x_dim = 1;
    for (int i = 0; i < 5000; ++i) graph.x.push_back(static_cast<float>(i));
    WriteGraphTo(graph, folder_.File("graph"));
    MpDistSamplingWorkerOptions options;
    options.graph = folder_.File("graph");
    options.num_workers = count;
    options.worker_program =
        absl::StrCat(std::getenv("TEST_SRCDIR"), "/tributary/cli/tributary");
    return SamplingWorkers::Open(options).value();
  }

  TemporaryFolder folder_;
};

TEST_F(MpModeTest, TheGraphIsThatOfTheWorkers) {
  const auto workers = Workers(2);
  const auto graph = DistGraph::Open(workers.get(), {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ((*graph)->num_nodes_total(), 5000);
  const std::vector<int64_t> nodes{2, 0, 1};
  const auto degrees = (*graph)->InDegrees(nodes);
  ASSERT_TRUE(degrees.ok()) << degrees.status();
  EXPECT_THAT(*degrees, testing::ElementsAre(2, 0, 1));
  const auto x = (*(*graph)->ndata())->Read("feat", nodes);
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_THAT(x->As<float>(), testing::ElementsAre(2, 0, 1));
  const auto edges = (*graph)->SampleNeighbors({{"", {2}}}, -1);
  ASSERT_TRUE(edges.ok()) << edges.status();
  ASSERT_EQ(edges->size(), size_t{1});
  EXPECT_THAT(edges->begin()->second.src, testing::UnorderedElementsAre(1, 3));
}

TEST_F(MpModeTest, RowsLiveInWorkersUntilOneIsKilled) {
  const auto workers = Workers(2);
  auto context =
      DistContext::Open(workers.get(), {.timeout = absl::Seconds(20)});
  ASSERT_TRUE(context.ok()) << context.status();
  DistTensorOptions options;
  options.name = "ids";
  options.policy = "node:node";
  options.dtype = DType::kInt64;
  auto tensor = DistTensor::Create(**context, options);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  std::vector<int64_t> ids(5000);
  std::iota(ids.begin(), ids.end(), int64_t{0});
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(ids.data()),
                                    ids.size() * sizeof(int64_t));
  const std::vector<int64_t> expected = ids;
  ASSERT_TRUE((*tensor)->Set(expected, bytes).ok());
  ids.assign(ids.size(), -1);
  ASSERT_TRUE((*tensor)->Read(expected, bytes).ok());
  EXPECT_EQ(ids, expected);

  // A new worker takes its place, which does not have the rows.
  ASSERT_EQ(kill(workers->pids()[0], SIGKILL), 0);
  const absl::Status read = (*tensor)->Read(expected, bytes);
  EXPECT_TRUE(absl::IsUnavailable(read)) << read;
  EXPECT_THAT(std::string(read.message()),
              testing::HasSubstr("which holds rows of this run, has started "
                                 "again without them; go on from"));
}

}  // namespace
}  // namespace tributary
