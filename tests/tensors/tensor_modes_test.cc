// Tensors whose rows are in worker processes of the trainer (mode mp), and
// their loss when one is killed.
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
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

class TensorModesTest : public testing::Test {
 protected:
  std::unique_ptr<SamplingWorkers> Workers(int count) {
    GraphSpec graph;
    graph.num_nodes = 5000;
    graph.edges = {{0, 1}, {1, 2}};
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

TEST_F(TensorModesTest, RowsLiveInWorkersUntilOneIsKilled) {
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
