#include "common/session/draw_options.h"

#include <gtest/gtest.h>

#include "common/proto/session.pb.h"

namespace tributary {
namespace {

v1::SessionSpec Spec(const DrawOptions& options) {
  v1::SessionSpec spec;
  FillDraws(options, spec.mutable_neighbor(), &spec);
  return spec;
}

DrawOptions Temporal() {
  DrawOptions options;
  options.time = TimeMode::kEdge;
  options.input_time = InputTimeMode::kGiven;
  return options;
}

TEST(FillDraws, WritesEachField) {
  DrawOptions options = Temporal();
  options.time = TimeMode::kNode;
  options.temporal_strategy = TemporalStrategy::kLast;
  options.strict = true;
  options.input_time = InputTimeMode::kOwn;
  const v1::SessionSpec spec = Spec(options);
  EXPECT_EQ(spec.neighbor().time(), v1::TIME_COLUMN_NODE);
  EXPECT_EQ(spec.neighbor().temporal_strategy(), v1::TEMPORAL_STRATEGY_LAST);
  EXPECT_TRUE(spec.neighbor().strict());
  EXPECT_EQ(spec.inputs().time(), v1::INPUT_TIME_OWN);
  EXPECT_EQ(Spec({.draw = DrawMode::kWeighted}).neighbor().draw(),
            v1::DRAW_WEIGHTED);
  const v1::SessionSpec labor =
      Spec({.draw = DrawMode::kLabor, .layer_dependency = true});
  EXPECT_EQ(labor.neighbor().draw(), v1::DRAW_LABOR);
  EXPECT_TRUE(labor.neighbor().layer_dependency());
}

TEST(FillDraws, DefaultsTakeNoByte) {
  EXPECT_EQ(Spec({}).neighbor().ByteSizeLong(), 0u);
  EXPECT_EQ(Spec({}).inputs().ByteSizeLong(), 0u);
}

TEST(FillDraws, ATimeImpliesDisjoint) {
  EXPECT_TRUE(Spec(Temporal()).neighbor().disjoint());
  EXPECT_FALSE(Spec({}).neighbor().disjoint());
}

TEST(CheckDraws, TakesWhatGoesTogether) {
  DrawOptions last = Temporal();
  last.temporal_strategy = TemporalStrategy::kLast;
  last.strict = true;
  for (const DrawOptions& options :
       {DrawOptions{}, DrawOptions{.draw = DrawMode::kWeighted},
        DrawOptions{.draw = DrawMode::kWeighted, .disjoint = true},
        DrawOptions{.draw = DrawMode::kLabor, .layer_dependency = true},
        Temporal(), last}) {
    const absl::Status status = CheckDraws(Spec(options));
    EXPECT_TRUE(status.ok()) << status;
  }
}

// `word` must be in what is said of the specification that `change` makes.
template <typename Change>
void ExpectRefused(const DrawOptions& options, const char* word,
                   Change change) {
  v1::SessionSpec spec = Spec(options);
  change(spec);
  const absl::Status status = CheckDraws(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
  EXPECT_NE(status.message().find(word), std::string::npos) << status;
  EXPECT_NE(status.message().find("allowed: "), std::string::npos) << status;
}

void ExpectRefused(const DrawOptions& options, const char* word) {
  ExpectRefused(options, word, [](auto&) {});
}

TEST(CheckDraws, RefusesWhatDoesNotGoTogether) {
  ExpectRefused({.layer_dependency = true}, "layer_dependency: without labor");
  ExpectRefused({.temporal_strategy = TemporalStrategy::kLast},
                "temporal_strategy: last without a time");
  ExpectRefused({.strict = true}, "strict: without a time");
  ExpectRefused({.input_time = InputTimeMode::kOwn},
                "input_time: without a time");
  ExpectRefused({.draw = DrawMode::kLabor, .disjoint = true},
                "labor with disjoint");
  ExpectRefused({.draw = DrawMode::kLabor}, "labor with replacement",
                [](auto& s) { s.mutable_neighbor()->set_replace(true); });
  DrawOptions options = Temporal();
  options.draw = DrawMode::kWeighted;
  ExpectRefused(options, "weighted with a time");
  options.draw = DrawMode::kLabor;
  ExpectRefused(options, "labor with a time");
  options = Temporal();
  options.input_time = InputTimeMode::kNone;
  ExpectRefused(options, "input_time: none with a time");
  ExpectRefused(Temporal(), "disjoint: false with a time",
                [](auto& s) { s.mutable_neighbor()->set_disjoint(false); });
  ExpectRefused(Temporal(), "batch_size: 32769",
                [](auto& s) { s.set_batch_size(32769); });
  options = Temporal();
  options.temporal_strategy = TemporalStrategy::kLast;
  ExpectRefused(options, "last with replacement",
                [](auto& s) { s.mutable_neighbor()->set_replace(true); });
}

TEST(CheckDraws, RefusesUnknownValues) {
  ExpectRefused({}, "draw: 3; allowed: uniform (0)", [](auto& s) {
    s.mutable_neighbor()->set_draw(static_cast<v1::Draw>(3));
  });
  ExpectRefused({}, "time: 9", [](auto& s) {
    s.mutable_neighbor()->set_time(static_cast<v1::TimeColumn>(9));
  });
  ExpectRefused({}, "temporal_strategy: -1", [](auto& s) {
    s.mutable_neighbor()->set_temporal_strategy(
        static_cast<v1::TemporalStrategy>(-1));
  });
  ExpectRefused({}, "input_time: 4", [](auto& s) {
    s.mutable_inputs()->set_time(static_cast<v1::InputTime>(4));
  });
}

DrawTraits TwoTypes() {
  DrawTraits graph;
  graph.planned = {{.name = "a,x,a"}, {.name = "b,y,a"}};
  graph.input_type = "a";
  return graph;
}

void ExpectNeeds(const DrawOptions& options, bool DrawTraits::EdgeType::*has,
                 const char* word) {
  DrawTraits graph = TwoTypes();
  const absl::Status status = CheckDrawsOn(graph, Spec(options));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
  EXPECT_NE(status.message().find(word), std::string::npos) << status;
  EXPECT_NE(status.message().find("a,x,a b,y,a"), std::string::npos) << status;
  graph.planned[1].*has = true;
  EXPECT_TRUE(CheckDrawsOn(graph, Spec(options)).ok()) << word;
}

TEST(CheckDrawsOn, OnePlannedTypeMustHaveIt) {
  using EdgeType = DrawTraits::EdgeType;
  ExpectNeeds({.draw = DrawMode::kWeighted}, &EdgeType::weights,
              "draw: weighted, but no sampled edge type has weights");
  DrawOptions options = Temporal();
  ExpectNeeds(options, &EdgeType::edge_times, "time: edge, but no");
  options.time = TimeMode::kNode;
  ExpectNeeds(options, &EdgeType::neighbor_times, "time: node, but no");
}

TEST(CheckDrawsOn, LaborNeedsNeighborIdsOfAll) {
  DrawTraits graph = TwoTypes();
  graph.planned[0].neighbor_ids = true;
  const v1::SessionSpec spec = Spec({.draw = DrawMode::kLabor});
  const absl::Status status = CheckDrawsOn(graph, spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("b,y,a has no neighbours' original ids"),
            std::string::npos)
      << status;
  graph.planned[1].neighbor_ids = true;
  EXPECT_TRUE(CheckDrawsOn(graph, spec).ok());
}

TEST(CheckDrawsOn, OwnTimesNeedTimedInputs) {
  DrawTraits graph = TwoTypes();
  graph.planned[0].edge_times = true;
  DrawOptions options = Temporal();
  options.input_time = InputTimeMode::kOwn;
  const absl::Status status = CheckDrawsOn(graph, Spec(options));
  EXPECT_NE(status.message().find("nodes of type a have no times"),
            std::string::npos)
      << status;
  graph.input_times = true;
  EXPECT_TRUE(CheckDrawsOn(graph, Spec(options)).ok());
}

}  // namespace
}  // namespace tributary
