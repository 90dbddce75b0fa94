// Batches with the degrees of their nodes, of kinds that sample edges.
#include <string>
#include <vector>

#include "common/session/kinds/walk_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Values = std::vector<int64_t>;

// a: 0 1 2 3, b: 0 1, in two partitions by parity.
//   a,to,b: 0>0 1>0 2>0 2>0 3>1    b,of,a: 0>0 1>0 1>3
MemoryGraphSpec Typed() {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = 2;
  spec.node_types = {{.name = "a", .num_nodes = 4},
                     {.name = "b", .num_nodes = 2}};
  spec.edge_types = {{"a", "to", "b"}, {"b", "of", "a"}};
  spec.edge_types[0].edges = {{0, 0}, {1, 0}, {2, 0}, {2, 0}, {3, 1}};
  spec.edge_types[1].edges = {{0, 0}, {1, 0}, {1, 3}};
  return spec;
}

BatchCase Case(Values inputs, std::vector<int32_t> fanouts) {
  BatchCase batch;
  batch.options.batch_size = inputs.size();
  batch.inputs = std::move(inputs);
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors.by_default = std::move(fanouts);
  batch.options.collect_degrees = true;
  return batch;
}

BatchCase OfB(std::vector<int32_t> fanouts) {
  BatchCase batch = Case({1, 0}, std::move(fanouts));
  batch.options.input_type = "b";
  return batch;
}

class DegreesTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(Typed());
  OneBatchWorld here_{graph_};
  OneBatchWorld parted_{graph_->Only({0}), graph_};
  OneBatchWorld elsewhere_{graph_->Only({}), graph_};
};

// Own and peers' nodes. Fanout 1: degrees are not those of the sampled edges.
TEST_F(DegreesTest, AreOfTheWholeGraph) {
  BatchCase batch = OfB({-1});
  for (OneBatchWorld* world : {&here_, &parted_, &elsewhere_}) {
    const auto sink = world->Run(batch);
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    EXPECT_EQ(Ints(*sink, "n_id/b"), (Values{1, 0}));
    EXPECT_EQ(Ints(*sink, "n_id/a"), (Values{3, 0, 1, 2}));
    EXPECT_EQ(Ints(*sink, "in_degree/a__to__b"), (Values{1, 4}));
    EXPECT_EQ(Ints(*sink, "out_degree/a__to__b"), (Values{1, 1, 1, 2}));
    EXPECT_EQ(Ints(*sink, "in_degree/b__of__a"), (Values{1, 2, 0, 0}));
    EXPECT_EQ(Ints(*sink, "out_degree/b__of__a"), (Values{2, 1}));
  }
  batch.options.num_neighbors = {1};
  EXPECT_EQ(Ints(*parted_.Run(batch), "in_degree/a__to__b"), (Values{1, 4}));
}

TEST_F(DegreesTest, OnlyTypesThatAreSampledHaveThem) {
  BatchCase batch = OfB({0});
  batch.options.num_neighbors.by_edge_type["a,to,b"] = {1};
  const auto sink = parted_.Run(batch);
  const BatchView view = *BatchView::Parse(sink->room.span());
  EXPECT_NE(view.Find("in_degree/a__to__b"), nullptr);
  EXPECT_EQ(view.Find("in_degree/b__of__a"), nullptr);
  EXPECT_EQ(view.Find("out_degree/b__of__a"), nullptr);
}

// Each tree has its copy of a node, with the node's degrees.
TEST_F(DegreesTest, OfTrees) {
  BatchCase batch = OfB({-1});
  batch.inputs = {1, 1};
  batch.options.draws.disjoint = true;
  const auto sink = parted_.Run(batch);
  EXPECT_EQ(Ints(*sink, "n_id/a"), (Values{3, 3}));
  EXPECT_EQ(Ints(*sink, "out_degree/a__to__b"), (Values{1, 1}));
  EXPECT_EQ(Ints(*sink, "in_degree/a__to__b"), (Values{1, 1}));
}

TEST_F(DegreesTest, OnlyTheBatchsBytesAreNeeded) {
  BatchCase batch = OfB({2, 2});
  batch.options.collect_degrees = false;
  const size_t without = *parted_.Run(batch)->ready;
  batch.options.collect_degrees = true;
  const size_t exact = *parted_.Run(batch)->ready;
  EXPECT_GT(exact, without);
  batch.max_bytes = exact;
  EXPECT_EQ(parted_.Run(batch)->ready, exact);
  batch.max_bytes = exact - 1;
  EXPECT_EQ(parted_.Run(batch)->needs, exact);
}

TEST_F(DegreesTest, MoreThanThereAreEdgesIsDataLoss) {
  graph_->in_degrees(0)[1] = 6;
  const auto sink = parted_.Run(OfB({1}));
  EXPECT_EQ(sink->failed.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(sink->failed.message()),
              HasSubstr("in_degree of node 1 in a,to,b is 6 of 5 edges: verify "
                        "the graph"));
}

// 0>1 0>2 1>2, and the hidden reverse type. Out-edges are emitted in the
// graph's direction, with the degrees of the type that users see.
TEST(Degrees, OfEitherDirection) {
  MemoryGraphSpec spec;
  spec.num_partitions = 3;
  spec.node_types = {{.num_nodes = 3}};
  spec.edge_types.push_back({.edges = {{0, 1}, {0, 2}, {1, 2}}});
  AddReverses(&spec);
  const auto graph = MemoryGraph::Make(spec);
  for (const EdgeDirection direction :
       {EdgeDirection::kIn, EdgeDirection::kOut, EdgeDirection::kBoth}) {
    BatchCase batch = Case({1, 2, 0}, {1, 1});
    batch.options.draws.edge_dir = direction;
    const auto sink = OneBatchWorld(graph->Only({1}), graph).Run(batch);
    EXPECT_EQ(Ints(*sink, "n_id"), (Values{1, 2, 0})) << sink->failed;
    EXPECT_EQ(Ints(*sink, "in_degree"), (Values{1, 2, 0}));
    EXPECT_EQ(Ints(*sink, "out_degree"), (Values{1, 0, 2}));
  }
}

// The refusal of a session, made on a graph that has all degrees, by `schema`.
std::string RefusalOf(const GraphSchema& schema, BatchCase batch) {
  const std::string spec = PlanOf(MemoryGraph::Make(Typed())->schema(), batch)
                               ->spec.SerializeAsString();
  const absl::Status status = MakePlan(schema, spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST_F(DegreesTest, GraphsWithoutAreRefused) {
  GraphSchema schema = graph_->schema();
  schema.edge_types[1].degrees = false;
  EXPECT_THAT(RefusalOf(schema, OfB({1})),
              AllOf(HasSubstr("collect_degrees"), HasSubstr("b,of,a"),
                    HasSubstr("partition --degrees")));
  // Types that are not sampled need none.
  BatchCase batch = OfB({0});
  batch.options.num_neighbors.by_edge_type["a,to,b"] = {1};
  const auto plan = PlanOf(graph_->schema(), batch);
  EXPECT_TRUE(MakePlan(schema, plan->spec.SerializeAsString()).ok());
}

TEST_F(DegreesTest, BatchesWithoutEdgesAreRefused) {
  const GraphSchema& schema = graph_->schema();
  BatchCase batch = OfB({1});
  batch.options.collect_degrees = false;
  const auto refusal = [&](auto change) {
    v1::SessionSpec spec = PlanOf(schema, batch)->spec;
    spec.set_collect_degrees(true);
    change(&spec);
    return std::string(
        MakePlan(schema, spec.SerializeAsString()).status().message());
  };
  EXPECT_EQ(refusal([](auto*) {}), "");
  const char* const none = "have no edges; allowed: false";
  EXPECT_THAT(refusal([](v1::SessionSpec* spec) {
                for (auto& type : *spec->mutable_neighbor()->mutable_fanouts())
                  type.set_per_hop(0, 0);
              }),
              HasSubstr(none));
  batch.build_spec = [](const SpecGraph& graph, const SpecOptions& options) {
    return BuildWalkSpec(graph, options,
                         {.walk_length = 2, .metapath = {"a,to,b", "b,of,a"}});
  };
  EXPECT_THAT(refusal([](auto*) {}), HasSubstr(none));
}

}  // namespace
}  // namespace tributary
