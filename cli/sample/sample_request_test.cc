#include "cli/sample/sample_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/sample/sample_fanouts.h"
#include "cli/sample/sample_inputs.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

SampleArguments Valid() {
  SampleArguments arguments;
  arguments.graph = "cora4";
  arguments.input_nodes = "train";
  arguments.num_neighbors = "10,5";
  return arguments;
}

std::string Refusal(const SampleArguments& arguments) {
  const auto request = ParseSampleArguments(arguments);
  if (request.ok()) return "accepted";
  EXPECT_EQ(ExitCodeOf(request.status()), kExitUsage);
  return std::string(request.status().message());
}

const NeighborOptions& Neighbors(const SampleRequest& request) {
  return std::get<NeighborOptions>(request.loader.kind);
}
const LinkOptions& Link(const SampleRequest& request) {
  return std::get<LinkOptions>(request.loader.kind);
}
const WalkOptions& Walk(const SampleRequest& request) {
  return std::get<WalkOptions>(request.loader.kind);
}

TEST(SampleRequestTest, Defaults) {
  const auto request = ParseSampleArguments(Valid());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->graph, "cora4");
  EXPECT_EQ(request->loader.input_split, "train");
  EXPECT_THAT(Neighbors(*request).num_neighbors, ElementsAre(10, 5));
  EXPECT_EQ(request->loader.batch_size, 1);
  EXPECT_EQ(request->loader.shuffle, ShuffleMode::kGlobal);
  EXPECT_FALSE(Neighbors(*request).expand_all);
  EXPECT_EQ(request->batches, IndexRange());
  EXPECT_EQ(request->worker.buffer_size, uint64_t{256} << 20);
}

TEST(SampleRequestTest, EveryOption) {
  SampleArguments a = Valid();
  a.graph = "";
  a.servers = "127.0.0.1:5,127.0.0.1:6";
  a.batch_size = "32";
  a.random_seed = "18446744073709551615";
  a.epoch = "2";
  a.batches = "1:4";
  a.shuffle = "none";
  a.expand = "all";
  a.replace = true;
  a.threads = "8";
  a.rpc_timeout = "1.5";
  a.buffer_size = "1MB";
  a.out = "o";
  const auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->worker.servers, "127.0.0.1:5,127.0.0.1:6");
  EXPECT_EQ(request->loader.batch_size, 32);
  EXPECT_EQ(request->loader.random_seed, UINT64_MAX);
  EXPECT_EQ(request->epoch, 2);
  EXPECT_EQ(request->batches, (IndexRange{1, 4}));
  EXPECT_EQ(request->loader.shuffle, ShuffleMode::kNone);
  EXPECT_TRUE(Neighbors(*request).expand_all);
  EXPECT_TRUE(Neighbors(*request).replace);
  EXPECT_EQ(request->threads, 8);
  EXPECT_EQ(request->worker.num_rpc_threads, 8);
  EXPECT_EQ(request->worker.rpc_timeout, absl::Milliseconds(1500));
  EXPECT_EQ(request->worker.buffer_size, 1 << 20);
  EXPECT_EQ(request->out, "o");
}

TEST(SampleRequestTest, GraphOrServers) {
  SampleArguments a = Valid();
  a.servers = "h:1";
  EXPECT_THAT(Refusal(a), HasSubstr("both --graph and --servers"));
  a.graph = a.servers = "";
  EXPECT_THAT(Refusal(a), HasSubstr("neither --graph nor --servers"));
}

TEST(SampleRequestTest, WrongValuesNameTheirOption) {
  const std::pair<std::string SampleArguments::*, const char*> fields[] = {
      {&SampleArguments::input_nodes, "--input-nodes"},
      {&SampleArguments::num_neighbors, "--num-neighbors"},
      {&SampleArguments::batch_size, "--batch-size"},
      {&SampleArguments::random_seed, "--random-seed"},
      {&SampleArguments::epoch, "--epoch"},
      {&SampleArguments::batches, "--batches"},
      {&SampleArguments::shuffle, "--shuffle"},
      {&SampleArguments::expand, "--expand"},
      {&SampleArguments::kind, "--kind"},
      {&SampleArguments::threads, "--threads"},
      {&SampleArguments::rpc_timeout, "--rpc-timeout"},
      {&SampleArguments::max_servers, "--max-servers"},
      {&SampleArguments::buffer_size, "--buffer-size"}};
  for (const auto& [field, option] : fields) {
    for (const char* bad : {"", "-3", "1,,2"}) {
      SampleArguments a = Valid();
      a.*field = bad;
      EXPECT_THAT(Refusal(a), HasSubstr(option)) << bad;
      EXPECT_THAT(Refusal(a), HasSubstr("allowed: ")) << option << bad;
    }
  }
}

TEST(SampleRequestTest, Links) {
  SampleArguments a = Valid();
  a.input_nodes = "";
  a.kind = "link";
  a.input_edges = "@links.csv";
  auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_TRUE(std::holds_alternative<LinkOptions>(request->loader.kind));
  ASSERT_EQ(request->link_files.size(), 1u);
  EXPECT_EQ(request->link_files[0].links, "links.csv");
  EXPECT_EQ(Link(*request).negatives.mode, NegativeMode::kNone);
  a.input_edges = "a,r:@,b:@x/links.csv";
  a.neg_sampling = "triplet";
  a.neg_amount = "2";
  request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(Link(*request).lists[0].edge_type, "a,r:@,b");
  EXPECT_EQ(request->link_files[0].links, "x/links.csv");
  EXPECT_EQ(Link(*request).negatives.mode, NegativeMode::kTriplet);
  EXPECT_EQ(Link(*request).negatives.amount, 2);
  a.neg_destination = "@own";
  EXPECT_THAT(Refusal(a), HasSubstr("--neg-amount with --neg-destination"));
  a.neg_amount = "";
  request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->link_files[0].negatives, "own");
  a.neg_destination = "1,2";
  EXPECT_THAT(Refusal(a), HasSubstr("allowed: @FILE"));
  a.input_nodes = "train";
  EXPECT_THAT(Refusal(a), HasSubstr("--input-nodes with --kind link"));
}

TEST(SampleRequestTest, LinksOfSeveralEdgeTypes) {
  SampleArguments a = Valid();
  a.input_nodes = "";
  a.kind = "link";
  a.input_edges = "b,r,c:train;a,r,b:@x;y.csv";
  EXPECT_THAT(Refusal(a), HasSubstr("--input-edges \"y.csv\""));
  a.input_edges = "b,r,c:0/train;a,r:@,b:@x.csv";
  a.neg_sampling = "triplet";
  a.neg_destination = "a,r:@,b:@one;b,r,c:@two";
  a.draws.time = "edge";
  a.draws.input_time = "7";
  auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  const std::vector<EdgeTypeLinks>& lists = Link(*request).lists;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].edge_type, "b,r,c");
  EXPECT_EQ(lists[0].input_split, "0/train");
  EXPECT_EQ(lists[1].edge_type, "a,r:@,b");
  EXPECT_EQ(request->link_files[1].links, "x.csv");
  EXPECT_EQ(request->link_files[0].negatives, "two");
  EXPECT_EQ(request->link_files[1].negatives, "one");
  EXPECT_EQ(lists[0].edge_label_time, std::vector<int64_t>{7});
  EXPECT_EQ(lists[1].edge_label_time, std::vector<int64_t>{7});
  a.draws.input_time = "b,r,c:@t.npy;a,r:@,b:3,-4";
  request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->link_files[0].times, "t.npy");
  EXPECT_EQ(Link(*request).lists[1].edge_label_time,
            (std::vector<int64_t>{3, -4}));
  for (const char* wrong : {"3,-4", "@t.npy", "b,r,c:3", "b,r,c:3;b,r,c:4",
                            "b,r,c:3;a,r,b:4", "b,r,c:;a,r:@,b:3"}) {
    a.draws.input_time = wrong;
    EXPECT_THAT(Refusal(a), HasSubstr("allowed: b,r,c:...;a,r:@,b:..."))
        << wrong;
  }
  a.draws.input_time = "7";
  a.neg_destination = "@one";
  EXPECT_THAT(Refusal(a), HasSubstr("--neg-destination \"@one\" with"));
}

SampleArguments ValidWalk() {
  SampleArguments a = Valid();
  a.num_neighbors = "";
  a.kind = "walk";
  a.walk_length = "40";
  return a;
}

TEST(SampleRequestTest, Walks) {
  SampleArguments a = ValidWalk();
  auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_TRUE(std::holds_alternative<WalkOptions>(request->loader.kind));
  EXPECT_EQ(Walk(*request).walk_length, 40u);
  EXPECT_EQ(Walk(*request).walks_per_node, 1u);
  EXPECT_EQ(Walk(*request).restart_prob, 0);
  a.walks_per_node = "10";
  a.metapath = "a,r,b;b,s,a";
  a.restart_prob = "0.15";
  a.restart_ends = true;
  a.p = "0.25";
  a.q = "4";
  request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(Walk(*request).walks_per_node, 10u);
  EXPECT_THAT(Walk(*request).metapath, ElementsAre("a,r,b", "b,s,a"));
  EXPECT_EQ(Walk(*request).restart_prob, 0.15);
  EXPECT_TRUE(Walk(*request).restart_ends);
  EXPECT_EQ(Walk(*request).p, 0.25);
  EXPECT_EQ(Walk(*request).q, 4);
}

TEST(SampleRequestTest, WrongWalksNameTheirOption) {
  const std::pair<std::string SampleArguments::*, const char*> fields[] = {
      {&SampleArguments::walk_length, "--walk-length"},
      {&SampleArguments::walks_per_node, "--walks-per-node"},
      {&SampleArguments::restart_prob, "--restart-prob"},
      {&SampleArguments::p, "--p "},
      {&SampleArguments::q, "--q "}};
  for (const auto& [field, option] : fields) {
    for (const char* bad : {"", "-3", "nan", "1e9"}) {
      SampleArguments a = ValidWalk();
      a.*field = bad;
      EXPECT_THAT(Refusal(a), HasSubstr(option)) << bad;
      EXPECT_THAT(Refusal(a), HasSubstr("allowed: ")) << option << bad;
    }
  }
  SampleArguments a = ValidWalk();
  a.metapath = "a,b";
  EXPECT_THAT(Refusal(a), HasSubstr("\"a,b\" is not an edge type"));
  a = ValidWalk();
  a.restart_ends = true;
  EXPECT_THAT(Refusal(a), HasSubstr("--restart-ends without"));
}

TEST(SampleRequestTest, OptionsOfAnotherKindAreRefused) {
  SampleArguments a = ValidWalk();
  a.num_neighbors = "2";
  EXPECT_THAT(Refusal(a), HasSubstr("--num-neighbors goes with --kind node"));
  a = ValidWalk();
  a.replace = true;
  EXPECT_THAT(Refusal(a), HasSubstr("--replace goes with --kind node"));
  a = ValidWalk();
  a.draws.strict = true;
  EXPECT_THAT(Refusal(a), HasSubstr("--strict goes with --kind node"));
  a = Valid();
  a.q = "2";
  EXPECT_THAT(Refusal(a), HasSubstr("--q goes with --kind walk"));
}

TEST(SampleRequestTest, InputNodes) {
  SampleRequest r;
  ASSERT_TRUE(ParseInputNodes("3,0,3", &r).ok());
  EXPECT_THAT(r.loader.input_nodes, ElementsAre(3, 0, 3));

  r = SampleRequest();
  ASSERT_TRUE(ParseInputNodes("person:public/train", &r).ok());
  EXPECT_EQ(r.loader.input_type, "person");
  EXPECT_EQ(r.loader.input_split, "public/train");

  // A slash makes a split's name of what begins like a number.
  for (const char* name : {"0/train", "12/valid", "-3/test", "2020/7"}) {
    r = SampleRequest();
    ASSERT_TRUE(ParseInputNodes(name, &r).ok()) << name;
    EXPECT_EQ(r.loader.input_split, name);
    EXPECT_EQ(r.loader.input_type, "");
    EXPECT_TRUE(r.loader.input_nodes.empty()) << name;
    r = SampleRequest();
    ASSERT_TRUE(ParseInputNodes(absl::StrCat("9:", name), &r).ok()) << name;
    EXPECT_EQ(r.loader.input_type, "9");
    EXPECT_EQ(r.loader.input_split, name);
  }

  r = SampleRequest();
  ASSERT_TRUE(ParseInputNodes("@a:b.npy", &r).ok());
  EXPECT_EQ(r.loader.input_type, "");
  EXPECT_EQ(r.input_file, "a:b.npy");

  r = SampleRequest();
  ASSERT_TRUE(ParseInputNodes("urn:x:public/train", &r).ok());
  EXPECT_EQ(r.loader.input_type, "urn:x");
  EXPECT_EQ(r.loader.input_split, "public/train");
  ASSERT_TRUE(ParseInputNodes("urn:x:@c:ids.npy", &r).ok());
  EXPECT_EQ(r.loader.input_type, "urn:x");
  EXPECT_EQ(r.input_file, "c:ids.npy");
  r = SampleRequest();
  ASSERT_TRUE(ParseInputNodes("person:@ids.npy", &r).ok());
  EXPECT_EQ(r.loader.input_type, "person");
  EXPECT_EQ(r.input_file, "ids.npy");

  for (const char* bad : {"", "@", ":train", "person:", "1,-2", "1,x", "1,",
                          "9223372036854775808", "person:0,person:1"}) {
    EXPECT_FALSE(ParseInputNodes(bad, &r).ok()) << bad;
  }
}

TEST(SampleRequestTest, NumNeighbors) {
  NeighborOptions o;
  ASSERT_TRUE(FillNumNeighbors("-1,0,4", &o).ok());
  EXPECT_THAT(o.num_neighbors, ElementsAre(-1, 0, 4));

  o = NeighborOptions();
  ASSERT_TRUE(FillNumNeighbors("4,3;a,to,b=2,0;b,to,a=-1,1", &o).ok());
  EXPECT_THAT(o.num_neighbors, ElementsAre(4, 3));
  EXPECT_THAT(o.num_neighbors_by_type,
              ElementsAre(Pair("a,to,b", ElementsAre(2, 0)),
                          Pair("b,to,a", ElementsAre(-1, 1))));

  // Without a default, other edge types are not sampled.
  o = NeighborOptions();
  ASSERT_TRUE(FillNumNeighbors("a,to,b=2,5", &o).ok());
  EXPECT_THAT(o.num_neighbors, ElementsAre(0, 0));

  for (const char* bad :
       {"", ";", "1;2", "-2", "1,", "2147483648", "a,to,b=", "1,2;a,to,b=1",
        "a,to,b=1;a,to,b=1", "1.5", "2147483647"}) {
    NeighborOptions unused;
    EXPECT_FALSE(FillNumNeighbors(bad, &unused).ok()) << bad;
  }
}

}  // namespace
}  // namespace tributary
