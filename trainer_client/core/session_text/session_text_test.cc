#include "trainer_client/core/session_text/session_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Texts = std::vector<std::pair<const char*, std::string>>;

SessionText Of(const Texts& texts) {
  SessionText text;
  for (const auto& [name, value] : texts) text.Set(name, value);
  return text;
}

SessionText Nodes(const Texts& more) {
  SessionText text = Of({{"input_nodes", "train"}, {"num_neighbors", "10,5"}});
  for (const auto& [name, value] : more) text.Set(name, value);
  return text;
}

SessionText Links(const Texts& more) {
  SessionText text = Of(
      {{"kind", "link"}, {"input_edges", "train"}, {"num_neighbors", "10,5"}});
  for (const auto& [name, value] : more) text.Set(name, value);
  return text;
}

SessionText Walks(const Texts& more) {
  SessionText text =
      Of({{"kind", "walk"}, {"input_nodes", "train"}, {"walk_length", "40"}});
  for (const auto& [name, value] : more) text.Set(name, value);
  return text;
}

DescribedSession Read(const SessionText& text) {
  auto session = ReadSession(text);
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : DescribedSession();
}

std::string Refusal(const SessionText& text) {
  const auto session = ReadSession(text);
  if (session.ok()) return "accepted";
  EXPECT_EQ(session.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(session.status().message()), HasSubstr("allowed: "));
  return std::string(session.status().message());
}

NeighborOptions Neighbors(const Texts& more) {
  return std::get<NeighborOptions>(Read(Nodes(more)).options.kind);
}
LinkOptions LinkOf(const DescribedSession& session) {
  return std::get<LinkOptions>(session.options.kind);
}

TEST(SessionTextTest, DefaultsAreThoseOfTheOptions) {
  const DescribedSession session = Read(Nodes({}));
  EXPECT_EQ(session.options.input_split, "train");
  EXPECT_EQ(session.options.batch_size, 1u);
  EXPECT_EQ(session.options.shuffle, ShuffleMode::kGlobal);
  const NeighborOptions neighbors = Neighbors({});
  EXPECT_EQ(neighbors.num_neighbors, (NumNeighbors{10, 5}));
  EXPECT_EQ(neighbors.draws, DrawOptions());
  EXPECT_EQ(neighbors.subgraph, SubgraphOptions());
  EXPECT_THAT(neighbors.input_time, IsEmpty());
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(SessionTextTest, EachOptionRefusesWhatItCannotBe) {
  // Of names any text may be one; predicates say what they are of.
  const std::vector<std::string> others = {"edge_type", "edge_mask",
                                           "edge_predicate"};
  const std::vector<std::pair<std::string, SessionText (*)(const Texts&)>> of =
      {{"node", Nodes}, {"link", Links}, {"walk", Walks}};
  for (const SessionOption& option : SessionTable()) {
    for (const auto& [kind, texts] : of) {
      if (!option.BelongsTo(kind) || Contains(others, option.words.name))
        continue;
      for (const char* bad : {"", "1,,2", "-3;4"}) {
        SessionText text = texts({{"time", "edge"}, {"input_time", "5"}});
        if (kind == "walk") text = texts({});
        text.Set(option.words.name, bad);
        if (option.words.name == "input_edges" && *bad == '-') continue;
        EXPECT_THAT(Refusal(text), HasSubstr(FlagOf(option.words.name)))
            << kind << " \"" << bad << '"';
      }
    }
  }
}

TEST(SessionTextTest, OptionsOfAnotherKindAreRefused) {
  EXPECT_THAT(Refusal(Walks({{"num_neighbors", "2"}})),
              HasSubstr("--num-neighbors goes with --kind node, link only"));
  EXPECT_THAT(Refusal(Walks({{"replace", "true"}})),
              HasSubstr("--replace goes with --kind node"));
  EXPECT_THAT(Refusal(Walks({{"strict", "true"}})),
              HasSubstr("--strict goes with --kind node"));
  EXPECT_THAT(Refusal(Nodes({{"q", "1"}})),
              HasSubstr("--q goes with --kind walk only, not with node"));
  EXPECT_THAT(Refusal(Links({{"input_nodes", "train"}})),
              HasSubstr("--input-nodes goes with --kind node, walk"));
}

TEST(SessionTextTest, ANameThatIsNoOption) {
  EXPECT_THAT(Refusal(Nodes({{"fanouts", "2"}})),
              HasSubstr("\"fanouts\" is no option of a session"));
}

TEST(SessionTextTest, AProgramsDefaultsDoNotCountAsGiven) {
  SessionText text = Walks({});
  text.SetDefault("num_neighbors", "15,10");
  text.SetDefault("batch_size", "1024");
  EXPECT_EQ(Read(text).options.batch_size, 1024u);
  EXPECT_EQ(text.Get("num_neighbors"), "15,10");
  SessionText nodes = Of({{"input_nodes", "*"}});
  nodes.SetDefault("num_neighbors", "15,10");
  EXPECT_EQ(std::get<NeighborOptions>(Read(nodes).options.kind).num_neighbors,
            (NumNeighbors{15, 10}));
}

// ---- Inputs -----------------------------------------------------------------

DescribedSession Inputs(const std::string& text) {
  return Read(Of({{"input_nodes", text}, {"num_neighbors", "1"}}));
}

TEST(SessionTextTest, InputNodes) {
  EXPECT_THAT(Inputs("3,0,3").options.input_nodes, ElementsAre(3, 0, 3));
  EXPECT_EQ(Inputs("person:public/train").options.input_type, "person");
  EXPECT_EQ(Inputs("person:public/train").options.input_split, "public/train");
  // A slash makes a split's name of what begins like a number.
  for (const std::string name : {"0/train", "12/valid", "-3/test", "2020/7"}) {
    EXPECT_EQ(Inputs(name).options.input_split, name);
    EXPECT_THAT(Inputs(name).options.input_nodes, IsEmpty()) << name;
    EXPECT_EQ(Inputs("9:" + name).options.input_type, "9");
    EXPECT_EQ(Inputs("9:" + name).options.input_split, name);
  }
  EXPECT_EQ(Inputs("@a:b.npy").options.input_type, "");
  EXPECT_EQ(Inputs("@a:b.npy").files.input_nodes, "a:b.npy");
  EXPECT_EQ(Inputs("urn:x:public/train").options.input_type, "urn:x");
  EXPECT_EQ(Inputs("urn:x:@c:ids.npy").options.input_type, "urn:x");
  EXPECT_EQ(Inputs("urn:x:@c:ids.npy").files.input_nodes, "c:ids.npy");
  EXPECT_TRUE(Inputs("*").options.all_nodes);
  for (const char* bad : {"", "@", ":train", "person:", "1,-2", "1,x", "1,",
                          "9223372036854775808", "person:0,person:1"}) {
    EXPECT_THAT(Refusal(Of({{"input_nodes", bad}, {"num_neighbors", "1"}})),
                HasSubstr("--input-nodes"))
        << bad;
  }
  EXPECT_THAT(Refusal(Of({{"num_neighbors", "1"}})),
              HasSubstr("--input-nodes is required"));
}

TEST(SessionTextTest, WeightsComeFromAFileAndShuffle) {
  EXPECT_EQ(Read(Nodes({{"input_weight", "@w.npy"}})).files.input_weight,
            "w.npy");
  EXPECT_THAT(Refusal(Nodes({{"input_weight", "w.npy"}})),
              HasSubstr("allowed: @FILE.npy"));
  EXPECT_THAT(Refusal(Nodes({{"input_weight", "@w.npy"}, {"shuffle", "none"}})),
              HasSubstr("--input-weight with --shuffle none"));
}

// ---- Neighbours -------------------------------------------------------------

TEST(SessionTextTest, NumNeighbors) {
  EXPECT_EQ(Neighbors({{"num_neighbors", "-1,0,4"}}).num_neighbors,
            (NumNeighbors{-1, 0, 4}));
  EXPECT_EQ(Neighbors({{"num_neighbors", "4,3;a,to,b=2,0;b,to,a=-1,1"}})
                .num_neighbors,
            NumNeighbors({4, 3}, {{"a,to,b", {2, 0}}, {"b,to,a", {-1, 1}}}));
  // Without a default, other edge types are not sampled.
  EXPECT_EQ(Neighbors({{"num_neighbors", "a,to,b=2,5"}}).num_neighbors,
            NumNeighbors({}, {{"a,to,b", {2, 5}}}));
  for (const char* bad :
       {"", ";", "1;2", "-2", "1,", "2147483648", "a,to,b=", "1,2;a,to,b=1",
        "a,to,b=1;a,to,b=1", "1.5", "2147483647"}) {
    EXPECT_THAT(Refusal(Nodes({{"num_neighbors", bad}})),
                HasSubstr("--num-neighbors"))
        << bad;
  }
  EXPECT_THAT(Refusal(Of({{"input_nodes", "train"}})),
              HasSubstr("--num-neighbors is required"));
}

TEST(SessionTextTest, Draws) {
  EXPECT_EQ(Neighbors({{"draw", "weighted"}}).draws.draw, DrawMode::kWeighted);
  const DrawOptions labor =
      Neighbors({{"draw", "labor"}, {"layer_dependency", "true"}}).draws;
  EXPECT_EQ(labor.draw, DrawMode::kLabor);
  EXPECT_TRUE(labor.layer_dependency);
  EXPECT_EQ(Neighbors({{"draw", "across_types"}}).draws.draw,
            DrawMode::kAcrossTypes);
  EXPECT_TRUE(Neighbors({{"disjoint", "true"}}).draws.disjoint);
  EXPECT_FALSE(Neighbors({{"disjoint", "false"}}).draws.disjoint);
  EXPECT_EQ(Neighbors({{"edge_dir", "both"}}).draws.edge_dir,
            EdgeDirection::kBoth);
  EXPECT_EQ(Neighbors({{"edge_mask", "train"}}).draws.edge_mask, "train");
  EXPECT_THAT(Refusal(Nodes({{"edge_mask", ""}})),
              HasSubstr("the name of a mask"));
  EXPECT_THAT(Refusal(Nodes({{"draw", "biased"}})),
              HasSubstr("--draw \"biased\"\nallowed: uniform, weighted, labor, "
                        "across_types"));
  EXPECT_TRUE(Neighbors({{"expand", "all"}}).expand_all);
}

TEST(SessionTextTest, Predicates) {
  const EdgePredicates predicates =
      Neighbors({{"edge_predicate", "edge_time < 5;a,b,c:edge_weight > 0.5"}})
          .draws.edge_predicates;
  ASSERT_EQ(predicates.by_default.size(), 1u);
  EXPECT_EQ(predicates.by_default[0].ToString(), "edge_time < 5");
  EXPECT_EQ(predicates.by_edge_type.at("a,b,c")[0].ToString(),
            "edge_weight > 0.5");
  for (const char* text : {"edge_size < 5", "edge_time < 5;edge_time > 1",
                           "a,b,c:edge_time<1;a,b,c:edge_time<2"}) {
    EXPECT_THAT(Refusal(Nodes({{"edge_predicate", text}})),
                HasSubstr("--edge-predicate: "));
  }
}

TEST(SessionTextTest, Times) {
  const NeighborOptions timed = Neighbors({{"time", "node"},
                                           {"temporal_strategy", "last"},
                                           {"strict", "true"},
                                           {"input_time", "5,-7"}});
  EXPECT_EQ(timed.draws.time, TimeMode::kNode);
  EXPECT_EQ(timed.draws.temporal_strategy, TemporalStrategy::kLast);
  EXPECT_TRUE(timed.draws.strict);
  EXPECT_EQ(timed.draws.input_time, InputTimeMode::kGiven);
  EXPECT_THAT(timed.input_time, ElementsAre(5, -7));
  for (const Texts& own : {Texts{{"time", "edge"}},
                           Texts{{"time", "edge"}, {"input_time", "own"}}}) {
    EXPECT_EQ(Neighbors(own).draws.input_time, InputTimeMode::kOwn);
  }
  const DescribedSession file =
      Read(Nodes({{"time", "edge"}, {"input_time", "@t.npy"}}));
  EXPECT_EQ(file.files.input_time, "t.npy");
  EXPECT_EQ(std::get<NeighborOptions>(file.options.kind).draws.input_time,
            InputTimeMode::kGiven);
  for (const char* times : {"x", "1,", "1.5", "@", "9223372036854775808"}) {
    EXPECT_THAT(Refusal(Nodes({{"time", "edge"}, {"input_time", times}})),
                HasSubstr("--input-time"));
  }
}

TEST(SessionTextTest, RefusesWhatDoesNotGoTogether) {
  const std::pair<Texts, const char*> wrong[] = {
      {{{"strict", "true"}}, "--strict: without a time"},
      {{{"temporal_strategy", "last"}},
       "--temporal-strategy: last without a time"},
      {{{"input_time", "own"}}, "--input-time: without a time"},
      {{{"input_time", "5"}}, "--input-time: without a time"},
      {{{"layer_dependency", "true"}}, "--layer-dependency: without labor"},
      {{{"draw", "weighted"}, {"time", "edge"}}, "weighted with a time"},
      {{{"draw", "labor"}, {"disjoint", "true"}}, "labor with disjoint"},
      {{{"draw", "labor"}, {"replace", "true"}}, "labor with replacement"},
      {{{"draw", "across_types"}, {"edge_dir", "out"}},
       "across_types with edge_dir out or both; allowed: edge_dir in"},
      {{{"time", "edge"}, {"temporal_strategy", "last"}, {"replace", "true"}},
       "last with replacement"},
      {{{"max_scanned_edges", "9"}}, "with --subgraph-type induced only"}};
  for (const auto& [texts, why] : wrong) {
    EXPECT_THAT(Refusal(Nodes(texts)), HasSubstr(why));
  }
}

TEST(SessionTextTest, Subgraphs) {
  EXPECT_EQ(Neighbors({{"subgraph_type", "bidirectional"}}).subgraph.type,
            SubgraphType::kBidirectional);
  EXPECT_EQ(Neighbors({{"subgraph_type", "induced"}}).subgraph,
            (SubgraphOptions{SubgraphType::kInduced, uint64_t{1} << 28}));
  EXPECT_EQ(
      Neighbors({{"subgraph_type", "induced"}, {"max_scanned_edges", "9"}})
          .subgraph,
      (SubgraphOptions{SubgraphType::kInduced, 9}));
  EXPECT_THAT(Refusal(Nodes({{"subgraph_type", "full"}})),
              HasSubstr("directional, bidirectional, induced"));
  for (const char* value : {"0", "4294967296", "-1", "1e6", "many"}) {
    EXPECT_THAT(Refusal(Nodes({{"subgraph_type", "induced"},
                               {"max_scanned_edges", value}})),
                HasSubstr("--max-scanned-edges"));
  }
}

// ---- Other kinds ------------------------------------------------------------

TEST(SessionTextTest, WalksPprAndLayers) {
  const auto walk = std::get<WalkOptions>(Read(Walks({})).options.kind);
  EXPECT_EQ(walk.walk_length, 40u);
  EXPECT_EQ(walk.walks_per_node, 1u);
  const auto all =
      std::get<WalkOptions>(Read(Walks({{"walks_per_node", "10"},
                                        {"metapath", "a,r,b;b,s,a"},
                                        {"restart_prob", "0.15"},
                                        {"restart_ends", "true"},
                                        {"p", "0.25"},
                                        {"q", "4"}}))
                                .options.kind);
  EXPECT_THAT(all.metapath, ElementsAre("a,r,b", "b,s,a"));
  EXPECT_EQ(all.restart_prob, 0.15);
  EXPECT_TRUE(all.restart_ends);
  EXPECT_EQ(all.p, 0.25);
  EXPECT_THAT(Refusal(Walks({{"metapath", "a,b"}})),
              HasSubstr("\"a,b\" is not an edge type"));
  EXPECT_THAT(Refusal(Walks({{"restart_ends", "true"}})),
              HasSubstr("--restart-ends without"));
  for (const char* option : {"restart_prob", "p", "q"}) {
    for (const char* bad : {"", "-3", "nan", "1e9"}) {
      EXPECT_THAT(Refusal(Walks({{option, bad}})),
                  HasSubstr(FlagOf(option) + " \""));
    }
  }
  EXPECT_THAT(Refusal(Of({{"kind", "walk"}, {"input_nodes", "train"}})),
              HasSubstr("--walk-length is required"));

  const Texts ppr = {{"kind", "ppr"}, {"input_nodes", "train"}};
  EXPECT_THAT(Refusal(Of(ppr)), HasSubstr("--top-k is required"));
  SessionText tiny = Of(ppr);
  tiny.Set("top_k", "4");
  tiny.Set("edge_type", "a,r,a");
  EXPECT_EQ(std::get<PprOptions>(Read(tiny).options.kind).edge_type, "a,r,a");
  tiny.Set("alpha", "0.01");
  tiny.Set("epsilon", "0.000001");
  EXPECT_THAT(Refusal(tiny), HasSubstr("--epsilon \"0.000001\""));

  SessionText layers = Of({{"kind", "layerwise"}, {"input_nodes", "train"}});
  EXPECT_THAT(Refusal(layers), HasSubstr("--nodes-per-layer is required"));
  layers.Set("nodes_per_layer", "512,256");
  layers.Set("importance", "uniform");
  const auto layerwise = std::get<LayerwiseOptions>(Read(layers).options.kind);
  EXPECT_THAT(layerwise.nodes_per_layer, ElementsAre(512, 256));
  EXPECT_EQ(layerwise.importance, LayerImportance::kUniform);
}

TEST(SessionTextTest, LinksOfOneList) {
  DescribedSession session = Read(Links({{"input_edges", "@links.csv"}}));
  ASSERT_EQ(session.files.links.size(), 1u);
  EXPECT_EQ(session.files.links[0].links, "links.csv");
  EXPECT_EQ(LinkOf(session).negatives.mode, NegativeMode::kNone);
  session = Read(Links({{"input_edges", "a,r:@,b:@x/links.csv"},
                        {"neg_sampling", "triplet"},
                        {"neg_amount", "2"}}));
  EXPECT_EQ(LinkOf(session).lists[0].edge_type, "a,r:@,b");
  EXPECT_EQ(session.files.links[0].links, "x/links.csv");
  EXPECT_EQ(LinkOf(session).negatives.mode, NegativeMode::kTriplet);
  EXPECT_EQ(LinkOf(session).negatives.amount, 2);
  EXPECT_THAT(Refusal(Links({{"neg_sampling", "triplet"},
                             {"neg_amount", "2"},
                             {"neg_destination", "@own"}})),
              HasSubstr("--neg-amount with --neg-destination"));
  EXPECT_THAT(Refusal(Links({{"neg_amount", "2"}})),
              HasSubstr("--neg-amount without negatives"));
  session =
      Read(Links({{"neg_sampling", "triplet"}, {"neg_destination", "@own"}}));
  EXPECT_EQ(session.files.links[0].negatives, "own");
  EXPECT_THAT(
      Refusal(Links({{"neg_sampling", "triplet"}, {"neg_destination", "1,2"}})),
      HasSubstr("allowed: @FILE"));
  EXPECT_THAT(Refusal(Links({{"time", "edge"}})),
              HasSubstr("--time with --kind link needs --input-time"));
  EXPECT_THAT(Refusal(Of({{"kind", "link"}, {"num_neighbors", "1"}})),
              HasSubstr("--input-edges is required"));
  const DescribedSession seal = Read(Links({{"enclosing", "true"}}));
  EXPECT_TRUE(LinkOf(seal).neighbors.draws.disjoint);
  EXPECT_EQ(LinkOf(seal).neighbors.subgraph.type, SubgraphType::kInduced);
}

TEST(SessionTextTest, LinksOfSeveralEdgeTypes) {
  EXPECT_THAT(Refusal(Links({{"input_edges", "b,r,c:train;a,r,b:@x;y.csv"}})),
              HasSubstr("--input-edges \"y.csv\""));
  Texts texts = {{"input_edges", "b,r,c:0/train;a,r:@,b:@x.csv"},
                 {"neg_sampling", "triplet"},
                 {"neg_destination", "a,r:@,b:@one;b,r,c:@two"},
                 {"time", "edge"},
                 {"input_time", "7"}};
  DescribedSession session = Read(Links(texts));
  const std::vector<EdgeTypeLinks> lists = LinkOf(session).lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].edge_type, "b,r,c");
  EXPECT_EQ(lists[0].input_split, "0/train");
  EXPECT_EQ(lists[1].edge_type, "a,r:@,b");
  EXPECT_EQ(session.files.links[1].links, "x.csv");
  EXPECT_EQ(session.files.links[0].negatives, "two");
  EXPECT_EQ(session.files.links[1].negatives, "one");
  EXPECT_EQ(lists[0].edge_label_time, std::vector<int64_t>{7});
  EXPECT_EQ(lists[1].edge_label_time, std::vector<int64_t>{7});
  texts.back().second = "b,r,c:@t.npy;a,r:@,b:3,-4";
  session = Read(Links(texts));
  EXPECT_EQ(session.files.links[0].times, "t.npy");
  EXPECT_EQ(LinkOf(session).lists[1].edge_label_time,
            (std::vector<int64_t>{3, -4}));
  for (const char* wrong : {"3,-4", "@t.npy", "b,r,c:3", "b,r,c:3;b,r,c:4",
                            "b,r,c:3;a,r,b:4", "b,r,c:;a,r:@,b:3"}) {
    texts.back().second = wrong;
    EXPECT_THAT(Refusal(Links(texts)),
                HasSubstr("allowed: b,r,c:...;a,r:@,b:..."))
        << wrong;
  }
  texts.back().second = "7";
  texts[2].second = "@one";
  EXPECT_THAT(Refusal(Links(texts)),
              HasSubstr("--neg-destination \"@one\" with"));
}

// ---- Writing ----------------------------------------------------------------

// A text of each option that differs from its default, of the kind.
std::vector<SessionText> EveryOption() {
  SessionText nodes = Nodes({{"batch_size", "32"},
                             {"random_seed", "18446744073709551615"},
                             {"shuffle", "none"},
                             {"drop_last", "true"},
                             {"collect", "x,edge_attr,time,seed_time"},
                             {"feature_dtype", "int8"},
                             {"collect_degrees", "true"},
                             {"omit_edge_ids", "true"},
                             {"replace", "true"},
                             {"expand", "all"},
                             {"time", "edge"},
                             {"strict", "true"},
                             {"input_time", "3,-4"},
                             {"edge_mask", "m"},
                             {"edge_predicate",
                              "edge_attr[0] >= 0.5 and edge_time < 9;"
                              "a,b,c:edge_weight > 0.1"},
                             {"edge_dir", "both"}});
  nodes.Set("num_neighbors", "4,3;a,to,b=2,0;b,to,a=-1,1");
  return {nodes,
          Of({{"input_nodes", "t:1,2,3"},
              {"num_neighbors", "-1"},
              {"subgraph_type", "induced"},
              {"max_scanned_edges", "9"},
              {"disjoint", "true"}}),
          Of({{"input_nodes", "*"},
              {"num_neighbors", "5"},
              {"draw", "labor"},
              {"layer_dependency", "true"}}),
          Nodes({{"time", "node"}, {"temporal_strategy", "last"}}),
          Walks({{"walks_per_node", "10"},
                 {"metapath", "a,r,b;b,s,a"},
                 {"restart_prob", "0.15"},
                 {"restart_ends", "true"},
                 {"p", "0.25"},
                 {"q", "4"}}),
          Of({{"kind", "ppr"},
              {"input_nodes", "train"},
              {"top_k", "7"},
              {"alpha", "0.3"},
              {"epsilon", "0.00002"},
              {"edge_type", "a,r,a"}}),
          Of({{"kind", "layerwise"},
              {"input_nodes", "train"},
              {"nodes_per_layer", "512,256"},
              {"importance", "fastgcn"}}),
          Links({{"neg_sampling", "binary"},
                 {"neg_amount", "1.5"},
                 {"neg_degree_power", "0.75"},
                 {"neg_strict", "true"},
                 {"on_exhausted", "accept"},
                 {"exclude", "reverse_types"},
                 {"enclosing", "true"}}),
          Links({{"input_edges", "a,r,b:train;b,s,a:0/train"},
                 {"time", "edge"},
                 {"input_time", "a,r,b:1,2;b,s,a:3"}})};
}

TEST(SessionTextTest, WhatIsReadIsWrittenAgain) {
  std::vector<std::string> seen;
  for (const SessionText& text : EveryOption()) {
    const auto again = TextOf(Read(text).options);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->given(), text.given());
    for (const auto& [name, value] : text.given()) seen.push_back(name);
  }
  for (const SessionOption& option : SessionTable()) {
    const std::string& name = option.words.name;
    if (name == "input_weight" || name == "neg_destination") continue;  // files
    EXPECT_THAT(seen, testing::Contains(name));
  }
}

TEST(SessionTextTest, OptionsWithoutTextAreNotWritten) {
  SessionOptions options = Read(Nodes({})).options;
  options.input_mask = {true, false};
  EXPECT_FALSE(TextOf(options).ok());
  options = Read(Links({})).options;
  std::get<LinkOptions>(options.kind).lists[0].source = {1};
  EXPECT_FALSE(TextOf(options).ok());
}

// ---- JSON -------------------------------------------------------------------

TEST(SessionTextTest, JsonReadsAsItsText) {
  for (const SessionText& text : EveryOption()) {
    const std::string json = SessionJson(text);
    const auto again = ParseSessionJson(json);
    ASSERT_TRUE(again.ok()) << again.status() << json;
    EXPECT_EQ(again->given(), text.given()) << json;
  }
}

TEST(SessionTextTest, JsonHasNumbersAndLists) {
  const auto text = ParseSessionJson(R"({
    "input_nodes": [3, 1], "batch_size": 16, "replace": true,
    "num_neighbors": {"default": [4, 3], "a,to,b": [2, 0], "b,to,a": "1,1"},
    "edge_predicate": {"a,to,b": "edge_time < 5"},
    "disjoint": false, "edge_mask": null, "random_seed": "7"})");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->Get("input_nodes"), "3,1");
  EXPECT_EQ(text->Get("batch_size"), "16");
  EXPECT_EQ(text->Get("num_neighbors"), "4,3;a,to,b=2,0;b,to,a=1,1");
  EXPECT_EQ(text->Get("edge_predicate"), "a,to,b:edge_time < 5");
  EXPECT_FALSE(text->Gives("edge_mask"));
  EXPECT_TRUE(Read(*text).options.random_seed == 7);
  EXPECT_EQ(
      ParseSessionJson(R"({"metapath": ["a,r,b", "b,s,a"]})")->Get("metapath"),
      "a,r,b;b,s,a");
}

TEST(SessionTextTest, JsonRefusesAnythingElse) {
  for (const auto& [json, why] :
       std::vector<std::pair<const char*, const char*>>{
           {"[]", "object"},
           {"{", "session"},
           {R"({"batch": 4})", "batch"},
           {R"({"batch_size": 4, "batch_size": 5})", "batch_size"},
           {R"({"batch_size": [4]})", "batch_size is [4]; allowed: a number"},
           {R"({"batch_size": {"a": 4}})", "allowed: a number"},
           {R"({"replace": 1})", "--replace"},
           {R"({"draw": {"a,b,c": "labor"}})", "a text, or a list"},
           {R"({"num_neighbors": []})", "num_neighbors is []"},
           {R"({"num_neighbors": ["1,2", 3]})", "num_neighbors is"},
           {R"({"num_neighbors": {"a,b,c": {"d": 1}}})", "num_neighbors is"},
           {R"({"num_neighbors": {"a,b,c": "1;2"}})", "num_neighbors is"}}) {
    auto text = ParseSessionJson(json);
    const absl::Status status =
        text.ok() ? ReadSession(*text).status() : text.status();
    EXPECT_FALSE(status.ok()) << json;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why)) << json;
  }
  const absl::Status status = InJsonWords(
      ReadSession(*ParseSessionJson(R"({"batch_size": 0})")).status());
  EXPECT_EQ(status.message(),
            "batch_size \"0\"; allowed: a whole number from 1 to 65536");
}

}  // namespace
}  // namespace tributary
