#include "trainer_client/torch/sessions/link_sessions.h"

#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Users (1) buy items (0); `reversed` adds the reverse relation.
GraphSchema Typed(bool reversed) {
  GraphSchema schema;
  schema.heterogeneous = true;
  schema.node_types = {{.name = "item"}, {.name = "user"}};
  if (reversed) {
    schema.edge_types.push_back(
        {.src = "item", .rel = "rev_buys", .dst = "user", .dst_type = 1});
  }
  schema.edge_types.push_back(
      {.src = "user", .rel = "buys", .dst = "item", .src_type = 1});
  schema.splits = {{.type = "user,buys,item", .name = "valid"},
                   {.type = "user,buys,item", .name = "valid_neg"},
                   {.type = "user,buys,item", .name = "test"}};
  return schema;
}

GraphSchema OneType(const std::string& made_by) {
  GraphSchema schema;
  schema.made_by = made_by;
  schema.node_types = {{.name = "node"}};
  schema.edge_types = {{.src = "node", .rel = "to", .dst = "node"}};
  schema.splits = {
      {.scheme = "target", .type = "node,to,node", .name = "valid"},
      {.scheme = "target", .type = "node,to,node", .name = "valid_neg"}};
  return schema;
}

const LinkOptions& LinkOf(const SessionOptions& session) {
  return std::get<LinkOptions>(session.kind);
}

TEST(LinkSessionsTest, SplitsOfOneType) {
  const auto plain = ParseLinkSplits("target/train,target/valid");
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_EQ(plain->size(), 1);
  EXPECT_EQ((*plain)[0].edge_type, "");
  EXPECT_EQ((*plain)[0].train, "target/train");
  EXPECT_EQ((*plain)[0].valid, "target/valid");
  EXPECT_EQ((*plain)[0].test, "");
  const auto typed = ParseLinkSplits("a,r:x,b:train,valid,test");
  ASSERT_TRUE(typed.ok()) << typed.status();
  EXPECT_EQ((*typed)[0].edge_type, "a,r:x,b");
  EXPECT_EQ((*typed)[0].test, "test");
}

TEST(LinkSessionsTest, SplitsOfSeveralTypes) {
  const auto types = ParseLinkSplits("a,r,b:train,valid;c,s,d:old,new");
  ASSERT_TRUE(types.ok()) << types.status();
  ASSERT_EQ(types->size(), 2);
  EXPECT_EQ((*types)[1].edge_type, "c,s,d");
  EXPECT_EQ((*types)[1].train, "old");
  EXPECT_EQ((*types)[1].valid, "new");
}

TEST(LinkSessionsTest, WrongSplitsAreRefused) {
  for (const char* wrong :
       {"", ",valid", "a,b,c,d", "node:train", "a,b:train", "a,,b:train",
        ":train", "train;valid", "a,r,b:train;a,r,b:valid", "a,r,b:train;"}) {
    EXPECT_THAT(ParseLinkSplits(wrong).status().message(),
                HasSubstr("SRC,REL,DST"))
        << wrong;
  }
}

TEST(LinkSessionsTest, ExcludesWhatTheGraphHasOfALink) {
  EXPECT_EQ(DefaultExclude(OneType("partition --add-reverse --out g"), {{}}),
            ExcludeMode::kReverseId);
  EXPECT_EQ(DefaultExclude(OneType("partition --out g"), {{}}),
            ExcludeMode::kSelf);
  const std::vector<LinkSplits> buys{{.edge_type = "user,buys,item"}};
  EXPECT_EQ(DefaultExclude(Typed(true), buys), ExcludeMode::kReverseTypes);
  EXPECT_EQ(DefaultExclude(Typed(false), buys), ExcludeMode::kSelf);
}

// A link's own edge is not earlier than it; with others of its batch excluded,
// what is sampled would depend on the batch.
TEST(LinkSessionsTest, ExcludesNothingOfTheStrictPast) {
  const GraphSchema schema = OneType("partition --out g");
  EXPECT_EQ(
      DefaultExclude(schema, {{}}, {.time = TimeMode::kEdge, .strict = true}),
      ExcludeMode::kNone);
  EXPECT_EQ(DefaultExclude(schema, {{}}, {.time = TimeMode::kEdge}),
            ExcludeMode::kSelf);
  EXPECT_EQ(
      DefaultExclude(schema, {{}}, {.time = TimeMode::kNode, .strict = true}),
      ExcludeMode::kSelf);
}

TEST(LinkSessionsTest, TimedLinksHaveNegativesOfTheirTime) {
  const auto times = std::make_shared<const std::vector<int64_t>>(3, 7);
  const LinkSessions sessions({.types = {{.train = "target/train",
                                          .valid = "target/valid",
                                          .edge_time = times}}},
                              ExcludeMode::kNone);
  NeighborOptions neighbors;
  neighbors.draws.time = TimeMode::kEdge;
  const auto valid = *sessions.Evaluation(&LinkSplits::valid, Metric::Hits(20),
                                          OneType(""), {}, neighbors);
  EXPECT_FALSE(valid.negatives.has_value());
  EXPECT_EQ(LinkOf(valid.links).negatives.mode, NegativeMode::kBinary);
  EXPECT_EQ(LinkOf(valid.links).lists[0].edge_time, times);
  EXPECT_EQ(LinkOf(valid.links).neighbors.draws.time, TimeMode::kEdge);
  EXPECT_EQ(LinkOf(sessions.Train({}, neighbors)).lists[0].edge_time, times);
}

TEST(LinkSessionsTest, TrainingHasTheNegatives) {
  LinkSampling sampling{.types = {{.train = "train"}}};
  sampling.negatives = {.mode = NegativeMode::kTriplet, .amount = 4};
  CommonLoaderOptions common;
  common.batch_size = 7;
  const SessionOptions session =
      LinkSessions(sampling, ExcludeMode::kPair).Train(common, {});
  EXPECT_EQ(session.batch_size, 7);
  EXPECT_EQ(LinkOf(session).lists[0].input_split, "train");
  EXPECT_EQ(LinkOf(session).negatives.mode, NegativeMode::kTriplet);
  EXPECT_EQ(LinkOf(session).negatives.amount, 4);
  EXPECT_EQ(LinkOf(session).exclude, ExcludeMode::kPair);
}

TEST(LinkSessionsTest, NegativesOfTheSplitAreTakenWhereThereAreSome) {
  const LinkSessions sessions({.types = {{.train = "target/train",
                                          .valid = "target/valid",
                                          .test = "target/test"}}},
                              ExcludeMode::kSelf);
  const GraphSchema schema = OneType("");
  const auto valid = *sessions.Evaluation(&LinkSplits::valid, Metric::Hits(20),
                                          schema, {}, {});
  EXPECT_EQ(LinkOf(valid.links).negatives.mode, NegativeMode::kNone);
  ASSERT_TRUE(valid.negatives.has_value());
  EXPECT_EQ(LinkOf(*valid.negatives).lists[0].input_split, "target/valid_neg");
  // Each link has negatives of its own.
  const auto mrr =
      *sessions.Evaluation(&LinkSplits::valid, Metric::kMrr, schema, {}, {});
  EXPECT_EQ(LinkOf(mrr.links).negatives.mode, NegativeMode::kBinary);
  EXPECT_FALSE(mrr.negatives.has_value());
  // There is no test_neg.
  const auto test =
      *sessions.Evaluation(&LinkSplits::test, Metric::Hits(20), schema, {}, {});
  EXPECT_EQ(LinkOf(test.links).negatives.mode, NegativeMode::kBinary);
  EXPECT_FALSE(test.negatives.has_value());
}

TEST(LinkSessionsTest, TypesWithoutASplitAreLeftOutOfItsEvaluation) {
  const auto types = ParseLinkSplits(
      "user,buys,item:train,valid;user,sees,item:train;a,r,b:train,,test");
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ((*types)[2].valid, "");
  EXPECT_EQ((*types)[2].test, "test");
  const LinkSessions sessions({.types = *types}, ExcludeMode::kSelf);
  EXPECT_EQ(LinkOf(sessions.Train({}, {})).lists.size(), 3);
  const auto valid = sessions.Evaluation(&LinkSplits::valid, Metric::kRocAuc,
                                         Typed(false), {}, {});
  ASSERT_TRUE(valid.has_value());
  ASSERT_EQ(LinkOf(valid->links).lists.size(), 1);
  EXPECT_EQ(LinkOf(valid->links).lists[0].edge_type, "user,buys,item");
  ASSERT_TRUE(valid->negatives.has_value());
  EXPECT_EQ(LinkOf(*valid->negatives).lists.size(), 1);
  EXPECT_FALSE(
      LinkSessions({.types = {{.train = "train"}}}, ExcludeMode::kSelf)
          .Evaluation(&LinkSplits::test, Metric::kRocAuc, Typed(false), {}, {})
          .has_value());
}

TEST(LinkSessionsTest, PatternsBecomeTypesWithTheirSplits) {
  GraphSchema schema = Typed(true);
  schema.edge_types[0].reverse = true;
  schema.edge_types.push_back(
      {.src = "user", .rel = "sees", .dst = "item", .src_type = 1});
  for (const char* type : {"user,buys,item", "user,sees,item"}) {
    schema.splits.push_back({.type = type, .name = "train"});
  }
  const auto types = ParseLinkSplits("*:train,valid,test");
  ASSERT_TRUE(types.ok()) << types.status();
  const auto all = ExpandPatterns(schema, *types);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 2);
  EXPECT_EQ((*all)[0].edge_type, "user,buys,item");
  EXPECT_EQ((*all)[0].test, "test");
  EXPECT_EQ((*all)[1].edge_type, "user,sees,item");
  EXPECT_EQ((*all)[1].train, "train");
  EXPECT_EQ((*all)[1].valid, "");
  // The first entry of a type is taken.
  const auto first =
      ExpandPatterns(schema, {{.edge_type = "user,sees,item", .train = "old"},
                              {.edge_type = "user,*,item", .train = "train"}});
  ASSERT_EQ(first->size(), 2);
  EXPECT_EQ((*first)[0].train, "old");
  EXPECT_EQ((*first)[1].edge_type, "user,buys,item");
  EXPECT_THAT(ExpandPatterns(schema, {{.edge_type = "*", .train = "dev"}})
                  .status()
                  .message(),
              HasSubstr("'dev'"));
}

TEST(LinkSessionsTest, ARankingReadsLinksAndAllNodesOfTheirEnds) {
  const LinkSessions sessions(
      {.types = {{.edge_type = "user,buys,item", .train = "train"}}},
      ExcludeMode::kReverseTypes);
  CommonLoaderOptions common;
  common.rank = 1;
  common.world = 2;
  const auto links = sessions.Links(&LinkSplits::train, common);
  ASSERT_TRUE(links.has_value());
  EXPECT_EQ(links->world, 1);
  EXPECT_EQ(links->rank, 0);
  EXPECT_EQ(links->shuffle, ShuffleMode::kNone);
  EXPECT_EQ(LinkOf(*links).exclude, ExcludeMode::kNone);
  EXPECT_EQ(LinkOf(*links).negatives.mode, NegativeMode::kNone);
  EXPECT_EQ(LinkOf(*links).neighbors.num_neighbors, std::vector<int32_t>{0});
  EXPECT_FALSE(sessions.Links(&LinkSplits::test, common).has_value());
  GraphSchema schema = Typed(false);
  schema.node_types.push_back({.name = "word"});
  NeighborOptions neighbors;
  neighbors.num_neighbors = {7};
  const auto entities = sessions.Entities(schema, common, neighbors);
  ASSERT_EQ(entities.size(), 3);
  EXPECT_EQ(entities[1]->input_type, "user");
  EXPECT_TRUE(entities[1]->all_nodes);
  EXPECT_EQ(entities[1]->rank, 1);
  EXPECT_EQ(std::get<NeighborOptions>(entities[0]->kind).num_neighbors,
            std::vector<int32_t>{7});
  EXPECT_FALSE(entities[2].has_value());
}

TEST(LinkSessionsTest, TheProbeIsOneLink) {
  CommonLoaderOptions common;
  common.rank = 1;
  common.world = 2;
  common.batch_size = 512;
  const SessionOptions probe = LinkSessions::Probe(
      {.types = {{.edge_type = "user,buys,item", .train = "train"}}}, common);
  EXPECT_EQ(probe.world, 1);
  EXPECT_EQ(probe.batch_size, 1);
  EXPECT_EQ(LinkOf(probe).lists[0].edge_type, "user,buys,item");
  EXPECT_EQ(LinkOf(probe).lists[0].source, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace tributary
