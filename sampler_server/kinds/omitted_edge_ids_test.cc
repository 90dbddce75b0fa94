// Batches without the ids of their edges.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/session/kinds/walk_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// 40 nodes in two partitions, with parallel edges and attributes.
MemoryGraphSpec Graph40() {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 40}};
  MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back();
  type.has_attr = true;
  for (int64_t e = 0; e < 200; ++e) {
    type.edges.emplace_back(e * 7 % 40, e * e % 37);
  }
  return spec;
}

BatchCase Case() {
  BatchCase batch;
  batch.inputs = {3, 1, 4, 16, 9};
  batch.options.batch_size = 5;
  batch.options.num_neighbors = {4, -1};
  return batch;
}

class OmittedEdgeIdsTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(Graph40());
  OneBatchWorld here_{graph_};
  OneBatchWorld parted_{graph_->Only({0}), graph_};
};

// For every way to find edges, with their attributes and without.
TEST_F(OmittedEdgeIdsTest, AllElseIsTheSame) {
  for (const SubgraphType type :
       {SubgraphType::kDirectional, SubgraphType::kBidirectional,
        SubgraphType::kInduced}) {
    for (const bool attributes : {true, false}) {
      SCOPED_TRACE(static_cast<int>(type));
      BatchCase batch = Case();
      batch.options.subgraph.type = type;
      if (!attributes) batch.options.collect = CollectedColumns::None();
      const auto whole = here_.Run(batch);
      const BatchView with = *BatchView::Parse(whole->room.span());
      batch.options.omit_edge_ids = true;
      for (OneBatchWorld* world : {&here_, &parted_}) {
        const auto sink = world->Run(batch);
        ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
        const BatchView view = *BatchView::Parse(sink->room.span());
        EXPECT_EQ(view.Find("e_id"), nullptr);
        EXPECT_EQ(view.tensors().size() + 1, with.tensors().size());
        for (const TensorView& tensor : view.tensors()) {
          const TensorView* const wanted = with.Find(tensor.name);
          ASSERT_NE(wanted, nullptr) << tensor.name;
          EXPECT_EQ(tensor.shape, wanted->shape) << tensor.name;
          EXPECT_EQ(tensor.data, wanted->data) << tensor.name;
        }
      }
    }
  }
}

TEST_F(OmittedEdgeIdsTest, OnlyTheBatchsBytesAreNeeded) {
  BatchCase batch = Case();
  const size_t with = *parted_.Run(batch)->ready;
  batch.options.omit_edge_ids = true;
  const size_t exact = *parted_.Run(batch)->ready;
  EXPECT_LT(exact, with);
  batch.max_bytes = exact;
  EXPECT_EQ(parted_.Run(batch)->ready, exact);
  batch.max_bytes = exact - 1;
  EXPECT_EQ(parted_.Run(batch)->needs, exact);
}

TEST_F(OmittedEdgeIdsTest, BatchesWithoutEdgesAreRefused) {
  BatchCase batch = Case();
  batch.build_spec = [](const SpecGraph& graph, const SpecOptions& options) {
    return BuildWalkSpec(graph, options, {.walk_length = 2});
  };
  v1::SessionSpec spec = PlanOf(graph_->schema(), batch)->spec;
  spec.set_omit_edge_ids(true);
  const absl::Status status =
      MakePlan(graph_->schema(), spec.SerializeAsString()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("omit_edge_ids: true, but the session's batches have "
                        "no edges; allowed: false"));
}

}  // namespace
}  // namespace tributary
