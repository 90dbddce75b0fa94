#include "trainer_client/torch/command/sample_again.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

BatchSourceOptions Graph(const std::string& folder) {
  BatchSourceOptions source;
  source.graph = folder;
  return source;
}

TEST(SampleAgainTest, ShellWords) {
  EXPECT_EQ(ShellWord("graphs/cora-4.v1"), "graphs/cora-4.v1");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("4,3;a,b,c=2,0"), "'4,3;a,b,c=2,0'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
}

TEST(SampleAgainTest, NodesOfAFolder) {
  CommonLoaderOptions common;
  common.input_split = "train";
  common.batch_size = 32;
  common.random_seed = 11;
  const SessionOptions session(common,
                               NeighborOptions{.num_neighbors = {10, -1}});
  EXPECT_EQ(SampleAgainCommand(Graph("my cora"), session, 2, 7),
            "tributary sample --graph 'my cora' --input-nodes train "
            "--batch-size 32 --random-seed 11 --num-neighbors 10,-1 --epoch 2 "
            "--batches 7:8");
}

TEST(SampleAgainTest, AllOptionsOfAFleet) {
  BatchSourceOptions source;
  source.worker.servers = "file:servers.txt";
  source.worker.graph_name = "shop@1f";
  source.worker.tls = {"ca.pem", "my cert.pem", "c.key"};
  CommonLoaderOptions common;
  common.input_type = "user";
  common.input_split = "time/train";
  common.batch_size = 8;
  common.shuffle = ShuffleMode::kNone;
  common.feature_dtype = FeatureDType::kInt8;
  common.collect_degrees = true;
  const SessionOptions session(
      common, NeighborOptions{.num_neighbors = {{4, 3}, {{"a,b,c", {2, 0}}}},
                              .replace = true,
                              .expand_all = true});
  EXPECT_EQ(SampleAgainCommand(source, session, 0, 0),
            "tributary sample --servers file:servers.txt --graph-name shop@1f "
            "--tls-ca ca.pem --tls-cert 'my cert.pem' --tls-key c.key "
            "--input-nodes user:time/train --batch-size 8 --shuffle none "
            "--feature-dtype int8 --collect-degrees --num-neighbors "
            "'4,3;a,b,c=2,0' --replace --expand all --epoch 0 --batches 0:1");
}

TEST(SampleAgainTest, LinksOfSeveralTypes) {
  BatchSourceOptions source;
  source.worker_options = "mode.json";
  CommonLoaderOptions common;
  common.batch_size = 4;
  LinkOptions link;
  link.lists.resize(2);
  link.lists[0].edge_type = "a,b,c";
  link.lists[0].input_split = "train";
  link.lists[1].edge_type = "c,d,a";
  link.lists[1].input_split = "s/train";
  link.negatives = {.mode = NegativeMode::kTriplet, .amount = 3};
  link.exclude = ExcludeMode::kReverseTypes;
  link.neighbors.num_neighbors = {5};
  EXPECT_EQ(SampleAgainCommand(source, SessionOptions(common, link), 1, 2),
            "tributary sample --worker-options mode.json --kind link "
            "--batch-size 4 --num-neighbors 5 --input-edges "
            "'a,b,c:train;c,d,a:s/train' --neg-sampling triplet --neg-amount 3 "
            "--exclude reverse_types --epoch 1 --batches 2:3");
}

TEST(SampleAgainTest, AllNeighboursAreNoFlag) {
  CommonLoaderOptions common;
  common.input_split = "train";
  const SessionOptions session(common, NeighborOptions{.num_neighbors = {-1}});
  EXPECT_EQ(SampleAgainCommand(Graph("g"), session, 0, 0),
            "tributary sample --graph g --input-nodes train "
            "--num-neighbors=-1 --epoch 0 --batches 0:1");
}

TEST(SampleAgainTest, ASessionWithoutTextHasNoCommand) {
  CommonLoaderOptions common;
  common.input_split = "train";
  common.input_weight = {1, 2};
  const SessionOptions session(common, NeighborOptions{.num_neighbors = {5}});
  EXPECT_EQ(SampleAgainCommand(Graph("g"), session, 0, 0), "");
}

}  // namespace
}  // namespace tributary
