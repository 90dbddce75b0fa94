// Batches whose features come in a lower precision.
#include <string>
#include <vector>

#include "common/tensor/testing/defined_features.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/testing/layouts.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Two partitions; nodes `a` with features and labels, `b` with neither, edges
// with attributes.
MemoryGraphSpec Typed(uint32_t num_partitions = 2, bool scaled = false) {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = num_partitions;
  spec.node_types = {{.name = "a", .num_nodes = 9, .x_dim = 11, .has_y = true},
                     {.name = "b", .num_nodes = 4}};
  spec.edge_types = {{"a", "to", "b"}, {"b", "of", "a"}};
  for (int64_t v = 0; v < 9; ++v) {
    spec.edge_types[0].edges.emplace_back(v, v % 4);
    spec.edge_types[1].edges.emplace_back(v % 4, v);
  }
  spec.edge_types[1].has_attr = true;
  spec.node_types[0].scaled = spec.edge_types[1].scaled = scaled;
  return spec;
}

BatchCase Case(FeatureDType asked) {
  BatchCase batch;
  batch.inputs = {0, 5, 8};
  batch.options.input_type = "a";
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {2, 2};
  batch.options.batch_size = 3;
  batch.options.feature_dtype = asked;
  return batch;
}

class FeatureDTypeTest : public testing::Test {
 protected:
  static std::string Bytes(const TensorView& tensor) {
    return {tensor.data.begin(), tensor.data.end()};
  }

  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(Typed());
  OneBatchWorld here_{graph_};
  OneBatchWorld parted_{graph_->Only({0}), graph_};
};

// A peer's rows and those that are here.
TEST_F(FeatureDTypeTest, FloatingColumnsComeInIt) {
  const auto stored = here_.Run(Case(FeatureDType::kStored));
  const BatchView before = *BatchView::Parse(stored->room.span());
  const std::vector<float> x = Floats(*stored, "x/a");
  const std::vector<float> attr = Floats(*stored, "edge_attr/b__of__a");
  ASSERT_FALSE(attr.empty());
  for (const auto asked : {FeatureDType::kFloat16, FeatureDType::kBFloat16}) {
    for (OneBatchWorld* world : {&here_, &parted_}) {
      const auto sink = world->Run(Case(asked));
      ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
      const BatchView view = *BatchView::Parse(sink->room.span());
      EXPECT_EQ(view.Find("x/a")->dtype, static_cast<DType>(asked));
      EXPECT_EQ(view.Find("x/a")->shape, before.Find("x/a")->shape);
      EXPECT_EQ(Bytes(*view.Find("x/a")), DefineFeatures(x, 11, asked).bytes);
      EXPECT_EQ(Bytes(*view.Find("edge_attr/b__of__a")),
                DefineFeatures(attr, 1, asked).bytes);
      EXPECT_EQ(view.payload_bytes(),
                before.payload_bytes() - 2 * x.size() - 2 * attr.size());
      for (const TensorView& tensor : before.tensors()) {
        if (tensor.dtype == DType::kFloat32) continue;
        EXPECT_EQ(Bytes(*view.Find(tensor.name)), Bytes(tensor)) << tensor.name;
      }
    }
  }
}

TEST_F(FeatureDTypeTest, RowsOfInt8HaveTheirScalesBeside) {
  const auto stored = here_.Run(Case(FeatureDType::kStored));
  const DefinedFeatures x =
      DefineFeatures(Floats(*stored, "x/a"), 11, FeatureDType::kInt8);
  const DefinedFeatures attr = DefineFeatures(
      Floats(*stored, "edge_attr/b__of__a"), 1, FeatureDType::kInt8);
  for (OneBatchWorld* world : {&here_, &parted_}) {
    const auto sink = world->Run(Case(FeatureDType::kInt8));
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    const BatchView view = *BatchView::Parse(sink->room.span());
    EXPECT_EQ(view.Find("x/a")->dtype, DType::kInt8);
    EXPECT_EQ(Bytes(*view.Find("x/a")), x.bytes);
    EXPECT_EQ(Bytes(*view.Find("edge_attr/b__of__a")), attr.bytes);
    EXPECT_EQ(Floats(*sink, "x_scale/a"), x.scales);
    EXPECT_EQ(Floats(*sink, "edge_attr_scale/b__of__a"), attr.scales);
    EXPECT_EQ(view.Find("x_scale/a")->shape,
              Shape{static_cast<int64_t>(x.scales.size())});
    EXPECT_EQ(view.Find("x_scale/b"), nullptr);
  }
}

// Rows of 20,004 bytes are gathered 52 at a time, in pieces of 1 MiB: the
// scales of the second piece were written over those of the first.
TEST_F(FeatureDTypeTest, RowsAndScalesOfSeveralPieces) {
  constexpr int64_t kDim = 20000;
  MemoryGraphSpec spec = Typed(1);
  spec.node_types[0].num_nodes = 60;
  spec.node_types[0].x_dim = kDim;
  const auto graph = MemoryGraph::Make(spec);
  OneBatchWorld world(graph);
  for (const int64_t inputs : {52, 53, 60}) {
    BatchCase batch = Case(FeatureDType::kStored);
    batch.inputs.clear();
    for (int64_t v = 0; v < inputs; ++v) batch.inputs.push_back(v);
    batch.options.batch_size = static_cast<uint64_t>(inputs);
    batch.options.num_neighbors = {0};
    const auto stored = world.Run(batch);
    ASSERT_TRUE(stored->ready.has_value()) << stored->failed;
    const std::vector<float> x = Floats(*stored, "x/a");
    ASSERT_EQ(x.size(), inputs * kDim);
    for (const auto asked : {FeatureDType::kInt8, FeatureDType::kFloat16}) {
      batch.options.feature_dtype = asked;
      const auto sink = world.Run(batch);
      ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
      const DefinedFeatures defined = DefineFeatures(x, kDim, asked);
      const BatchView view = *BatchView::Parse(sink->room.span());
      EXPECT_TRUE(Bytes(*view.Find("x/a")) == defined.bytes);
      if (asked != FeatureDType::kInt8) continue;
      EXPECT_EQ(Floats(*sink, "x_scale/a"), defined.scales);
    }
  }
}

// What a graph stores as int8 with scales is what a session makes of float32,
// to the byte, wherever the rows are.
TEST_F(FeatureDTypeTest, Int8OfAScaledGraphIsThatOfTheFloatingGraph) {
  const auto scaled = [](uint32_t partitions) {
    return MemoryGraph::Make(Typed(partitions, /*scaled=*/true));
  };
  const BatchCase batch = Case(FeatureDType::kInt8);
  ExpectDigestOnLayouts(scaled, batch, DigestOf(*here_.Run(batch)));
}

// As stored, a scaled graph's features are float32: the values times the scale;
// lower precisions are made of these numbers.
TEST_F(FeatureDTypeTest, OtherPrecisionsOfAScaledGraphAreOfItsProducts) {
  const auto stored = here_.Run(Case(FeatureDType::kStored));
  const std::vector<float> x = DefineScaledNumbers(Floats(*stored, "x/a"), 11);
  const std::vector<float> attr =
      DefineScaledNumbers(Floats(*stored, "edge_attr/b__of__a"), 1);
  EXPECT_NE(x, Floats(*stored, "x/a"));
  const auto graph = MemoryGraph::Make(Typed(2, /*scaled=*/true));
  OneBatchWorld here(graph), parted(graph->Only({0}), graph);
  for (const auto asked : {FeatureDType::kStored, FeatureDType::kFloat16,
                           FeatureDType::kBFloat16}) {
    for (OneBatchWorld* world : {&here, &parted}) {
      const auto sink = world->Run(Case(asked));
      ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
      const BatchView view = *BatchView::Parse(sink->room.span());
      const DefinedFeatures defined = DefineFeatures(x, 11, asked);
      EXPECT_EQ(view.Find("x/a")->dtype, defined.dtype);
      EXPECT_EQ(Bytes(*view.Find("x/a")), defined.bytes);
      EXPECT_EQ(Bytes(*view.Find("edge_attr/b__of__a")),
                DefineFeatures(attr, 1, asked).bytes);
      EXPECT_EQ(view.Find("x_scale/a"), nullptr);
    }
  }
}

TEST_F(FeatureDTypeTest, OnlyTheBatchsBytesAreNeeded) {
  BatchCase batch = Case(FeatureDType::kInt8);
  const size_t exact = *parted_.Run(batch)->ready;
  batch.max_bytes = exact;
  EXPECT_EQ(parted_.Run(batch)->ready, exact);
  batch.max_bytes = exact - 1;
  EXPECT_EQ(parted_.Run(batch)->needs, exact);
}

TEST_F(FeatureDTypeTest, SpecificationsThatCannotBeAreRefused) {
  BatchCase batch = Case(FeatureDType::kFloat16);
  const GraphSchema& schema = graph_->schema();
  const v1::SessionSpec honest = PlanOf(schema, batch)->spec;
  const auto refusal = [&](auto change) {
    v1::SessionSpec spec = honest;
    change(spec);
    return std::string(
        MakePlan(schema, spec.SerializeAsString()).status().message());
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_THAT(refusal([](auto& spec) { spec.set_feature_dtype(8); }),
              HasSubstr("session specification: features: feature_dtype: code "
                        "8; allowed: stored, float16, bfloat16, int8"));
  EXPECT_THAT(refusal([](auto& spec) { spec.set_collect_features(false); }),
              HasSubstr("feature_dtype: float16, but what is collected has no "
                        "floating features: there are none"));
  // Nothing of type `a` is sampled, and no attributes.
  EXPECT_THAT(refusal([](auto& spec) {
                spec.mutable_inputs()->set_node_type("b");
                for (auto& type : *spec.mutable_neighbor()->mutable_fanouts()) {
                  for (auto& fanout : *type.mutable_per_hop()) fanout = 0;
                }
              }),
              HasSubstr("there are none; allowed: stored"));
}

}  // namespace
}  // namespace tributary
