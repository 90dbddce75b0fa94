// Batches with a set of columns of their own. The other sets are compared with
// the definition by random cases (tests/brute_force, tests/kinds).
#include <string>
#include <vector>

#include "common/session/collected_columns.h"
#include "common/tensor/value_bytes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Values = std::vector<int64_t>;

// 0>2 1>2 0>1 in two partitions by parity, with all columns.
MemoryGraphSpec WithAll() {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {
      {.num_nodes = 3, .x_dim = 2, .has_y = true, .time = {30, -10, 50}}};
  spec.edge_types.push_back({.edges = {{0, 2}, {1, 2}, {0, 1}},
                             .has_attr = true,
                             .weight = {0.5, 0, 2.25}});
  return spec;
}

class CollectedColumnsTest : public testing::Test {
 protected:
  // Node 2, its neighbours, and theirs.
  BatchCase Case(CollectedColumns columns) {
    BatchCase batch;
    batch.inputs = {2};
    batch.options.batch_size = 1;
    batch.options.shuffle = ShuffleMode::kNone;
    batch.options.num_neighbors = {-1, -1};
    batch.options.collect = columns;
    return batch;
  }
  std::vector<std::string> Names(const BatchCase& batch) {
    const auto sink = parted_.Run(batch);
    const BatchView view = *BatchView::Parse(sink->room.span());
    std::vector<std::string> names;
    for (const TensorView& tensor : view.tensors()) {
      names.emplace_back(tensor.name);
    }
    return names;
  }
  std::string Refusal(const GraphSchema& schema, const BatchCase& batch) {
    BatchCase asked = batch;
    const std::string spec =
        PlanOf(graph_->schema(), asked)->spec.SerializeAsString();
    return std::string(MakePlan(schema, spec).status().message());
  }

  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(WithAll());
  OneBatchWorld here_{graph_};
  OneBatchWorld parted_{graph_->Only({0}), graph_};
  OneBatchWorld elsewhere_{graph_->Only({}), graph_};
};

TEST_F(CollectedColumnsTest, OnlyWhatIsAskedForIsThere) {
  const std::vector<std::string> none = Names(Case(CollectedColumns::None()));
  const auto more = [&](CollectedColumns columns) {
    std::vector<std::string> names;
    for (const std::string& name : Names(Case(columns))) {
      if (!testing::Value(none, testing::Contains(name))) names.push_back(name);
    }
    return names;
  };
  EXPECT_THAT(more({}), UnorderedElementsAre("x", "y", "edge_attr"));
  EXPECT_THAT(more({CollectedColumn::kX}), ElementsAre("x"));
  EXPECT_THAT(more({CollectedColumn::kY}), ElementsAre("y"));
  EXPECT_THAT(more({CollectedColumn::kEdgeAttr}), ElementsAre("edge_attr"));
  EXPECT_THAT(more({CollectedColumn::kTime}), ElementsAre("time"));
  EXPECT_THAT(more({CollectedColumn::kWeight}), ElementsAre("weight"));
}

TEST_F(CollectedColumnsTest, HoldWhatTheGraphStores) {
  const BatchCase batch =
      Case({CollectedColumn::kTime, CollectedColumn::kWeight});
  for (OneBatchWorld* world : {&here_, &parted_, &elsewhere_}) {
    const auto sink = world->Run(batch);
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    EXPECT_EQ(Ints(*sink, "n_id"), (Values{2, 0, 1}));
    EXPECT_EQ(Ints(*sink, "time"), (Values{50, 30, -10}));
    EXPECT_EQ(Ints(*sink, "e_id"), (Values{0, 1, 2}));
    const BatchView view = *BatchView::Parse(sink->room.span());
    const TensorView* weight = view.Find("weight");
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->dtype, DType::kFloat64);
    const std::vector<double> weights = {0.5, 0, 2.25};
    EXPECT_THAT(weight->data, ElementsAreArray(ValueBytes<double>(weights)));
  }
}

TEST_F(CollectedColumnsTest, SeedTimesAreThoseOfTheTrees) {
  BatchCase batch = Case({CollectedColumn::kSeedTime});
  batch.inputs = {2, 0, 2};
  batch.options.batch_size = 3;
  batch.options.draws.time = TimeMode::kNode;
  batch.options.draws.input_time = InputTimeMode::kOwn;
  EXPECT_EQ(Ints(*parted_.Run(batch), "seed_time"), (Values{50, 30, 50}));
  batch.options.draws.input_time = InputTimeMode::kGiven;
  batch.input_time = {7, -3, 9};
  EXPECT_EQ(Ints(*parted_.Run(batch), "seed_time"), (Values{7, -3, 9}));
}

TEST_F(CollectedColumnsTest, OnlyTheBatchsBytesAreNeeded) {
  BatchCase batch = Case({CollectedColumn::kTime, CollectedColumn::kWeight});
  const size_t exact = *parted_.Run(batch)->ready;
  batch.max_bytes = exact;
  EXPECT_EQ(parted_.Run(batch)->ready, exact);
  batch.max_bytes = exact - 1;
  EXPECT_EQ(parted_.Run(batch)->needs, exact);
}

TEST_F(CollectedColumnsTest, ColumnsThatAreNotStoredAreRefused) {
  GraphSchema schema = graph_->schema();
  schema.node_types[0].timed = false;
  schema.edge_types[0].weighted = false;
  EXPECT_THAT(Refusal(schema, Case({CollectedColumn::kTime})),
              HasSubstr("columns: collect: time, but no node type of the batch "
                        "has times; allowed: without time"));
  EXPECT_THAT(Refusal(schema, Case({CollectedColumn::kWeight})),
              HasSubstr("weight, but no edge type of the batch has weights"));
  EXPECT_THAT(Refusal(graph_->schema(), Case({CollectedColumn::kY})), "");
  schema.node_types[0].y.reset();
  EXPECT_THAT(Refusal(schema, Case({CollectedColumn::kY})), "");
}

TEST_F(CollectedColumnsTest, OtherSpecificationsAreRefused) {
  BatchCase batch = Case({CollectedColumn::kX});
  v1::SessionSpec spec = PlanOf(graph_->schema(), batch)->spec;
  const auto refusal = [&] {
    return std::string(MakePlan(graph_->schema(), spec.SerializeAsString())
                           .status()
                           .message());
  };
  EXPECT_EQ(refusal(), "");
  spec.add_columns(v1::COLLECTED_COLUMN_SEED_TIME);
  EXPECT_THAT(refusal(), HasSubstr("seed_time, but the inputs are not nodes "
                                   "with times"));
  spec.add_columns(v1::COLLECTED_COLUMN_Y);
  EXPECT_THAT(refusal(), HasSubstr("columns [1,6,2]; allowed: true alone"));
}

}  // namespace
}  // namespace tributary
