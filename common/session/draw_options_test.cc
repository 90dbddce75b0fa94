#include "common/session/draw_options.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

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
  EXPECT_EQ(Spec({.draw = DrawMode::kAcrossTypes}).neighbor().draw(),
            v1::DRAW_ACROSS_TYPES);
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
        DrawOptions{.draw = DrawMode::kAcrossTypes, .disjoint = true},
        Temporal(), last}) {
    const absl::Status status = CheckDraws(Spec(options));
    EXPECT_TRUE(status.ok()) << status;
  }
}

// Expects that the specification made by `change` is refused with a message
// that holds `word`.
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

// Every refusal names the other option, and both ways out.
TEST(CheckDraws, RefusesWhatATotalDoesNotGoWith) {
  const auto refused = [](DrawOptions options, const std::string& other,
                          const std::string& allowed,
                          const std::function<void(v1::SessionSpec&)>& change) {
    options.draw = DrawMode::kAcrossTypes;
    const std::string text = "draw: across_types with " + other +
                             "; allowed: " + allowed + ", or draw uniform";
    ExpectRefused(options, text.c_str(), change);
  };
  const auto none = [](v1::SessionSpec&) {};
  refused(Temporal(), "a time", "time none", none);
  refused({.edge_dir = EdgeDirection::kOut}, "edge_dir out or both",
          "edge_dir in", none);
  refused({.edge_dir = EdgeDirection::kBoth}, "edge_dir out or both",
          "edge_dir in", none);
  refused({.edge_predicates = *ParseEdgePredicates("self_loop == 0")},
          "edge_predicate", "no edge_predicate", none);
  refused({.edge_mask = "train"}, "edge_mask 'train'", "no edge_mask", none);
  const auto of_links = [](v1::SessionSpec& spec) {
    const v1::NeighborSampling neighbor = spec.neighbor();
    *spec.mutable_link()->mutable_neighbor() = neighbor;
  };
  refused({}, "exclude", "exclude none", [&](v1::SessionSpec& spec) {
    of_links(spec);
    spec.mutable_link()->set_exclude(v1::EXCLUDED_LINKS_PAIR);
  });
  refused({}, "enclosing, which leaves out the links' edges",
          "links without enclosing", [&](v1::SessionSpec& spec) {
            of_links(spec);
            spec.mutable_link()->set_enclosing(true);
          });
  v1::SessionSpec links = Spec({.draw = DrawMode::kAcrossTypes});
  of_links(links);
  EXPECT_TRUE(CheckDraws(links).ok()) << CheckDraws(links);
}

TEST(CheckDraws, ATotalHasOneListOfFanouts) {
  v1::SessionSpec spec = Spec({.draw = DrawMode::kAcrossTypes});
  for (const char* type : {"a,x,a", "b,y,a"}) {
    v1::EdgeTypeFanout* fanout = spec.mutable_neighbor()->add_fanouts();
    fanout->set_edge_type(type);
    fanout->add_per_hop(25);
    fanout->add_per_hop(-1);
  }
  EXPECT_TRUE(CheckDraws(spec).ok()) << CheckDraws(spec);
  spec.mutable_neighbor()->mutable_fanouts(1)->set_per_hop(1, 3);
  EXPECT_EQ(CheckDraws(spec).message(),
            "draw: across_types with num_neighbors by edge type (a,x,a=25,-1, "
            "b,y,a=25,3); allowed: num_neighbors of one list, a total over all "
            "edge types, or draw uniform");
  spec.mutable_neighbor()->set_draw(v1::DRAW_UNIFORM);
  EXPECT_TRUE(CheckDraws(spec).ok());
}

TEST(CheckDraws, RefusesUnknownValues) {
  ExpectRefused({}, "draw: 4; allowed: uniform (0)", [](auto& s) {
    s.mutable_neighbor()->set_draw(static_cast<v1::Draw>(4));
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

TEST(CheckDrawsOn, OnePlannedTypeMustHaveTheMask) {
  DrawTraits graph = TwoTypes();
  const v1::SessionSpec spec = Spec({.edge_mask = "train"});
  const auto refusal = [&] {
    const absl::Status status = CheckDrawsOn(graph, spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(refusal(),
            "edge_mask: 'train', which no sampled edge type has (sampled: "
            "a,x,a b,y,a); allowed: none, or a graph that was partitioned with "
            "masks");
  graph.planned[0].columns.masks = {"late", "test"};
  graph.planned[1].columns.masks = {"late", "tarin"};
  EXPECT_NE(refusal().find("allowed: late, tarin, test"), std::string::npos);
  graph.planned[1].columns.masks = {"train"};
  EXPECT_TRUE(CheckDrawsOn(graph, spec).ok());
}

// The mask is a further condition for the types that have it. A default
// predicate on a column that a type lacks does not apply to that type.
TEST(CheckDrawsOn, AMaskIsOneConditionMoreOfTheTypesThatHaveIt) {
  DrawTraits graph = TwoTypes();
  graph.planned[0].columns.masks = {"train"};
  graph.planned[1].columns.weights = true;
  const v1::SessionSpec spec =
      Spec({.edge_predicates = *ParseEdgePredicates("edge_weight > 2"),
            .edge_mask = "train"});
  EXPECT_TRUE(CheckDrawsOn(graph, spec).ok());
  const auto conditions = [&](const DrawTraits::EdgeType& type) {
    std::string text;
    const auto of_type =
        ConditionsOf(NeighborsOf(spec), type.name, type.columns);
    EXPECT_TRUE(of_type.ok()) << of_type.status();
    for (const EdgeCondition& condition : *of_type) {
      text += condition.ToString() + ";";
    }
    return text;
  };
  EXPECT_EQ(conditions(graph.planned[0]), "edge_mask[train] == 1;");
  EXPECT_EQ(conditions(graph.planned[1]), "edge_weight > 2;");
  graph.planned[0].columns.weights = true;
  EXPECT_EQ(conditions(graph.planned[0]),
            "edge_weight > 2;edge_mask[train] == 1;");
  graph.planned[0].columns.weights = graph.planned[1].columns.weights = false;
  EXPECT_NE(CheckDrawsOn(graph, spec).message().find("edge_weight > 2"),
            std::string::npos);
}

TEST(CheckDrawsOn, APredicateOfAMaskNeedsItOnItsType) {
  DrawTraits graph = TwoTypes();
  graph.planned[1].columns.masks = {"test", "train"};
  const auto check = [&](const char* text) {
    return CheckDrawsOn(graph,
                        Spec({.edge_predicates = *ParseEdgePredicates(text)}));
  };
  EXPECT_TRUE(check("edge_mask[test] == 0").ok());
  EXPECT_TRUE(check("b,y,a:edge_mask[train] == 1").ok());
  EXPECT_NE(check("a,x,a:edge_mask[train] == 1").message().find("no columns"),
            std::string::npos);
  EXPECT_NE(check("b,y,a:edge_mask[tarin] == 1")
                .message()
                .find("allowed: edge_mask[test], edge_mask[train]"),
            std::string::npos);
  EXPECT_NE(check("edge_mask[test] > 0.5").message().find("a whole number"),
            std::string::npos);
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
