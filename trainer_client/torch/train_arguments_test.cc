#include "trainer_client/torch/train_arguments.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

ParsedTrainArguments Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "tributary-train");
  return ParseTrainArguments(static_cast<int>(words.size()), words.data());
}

TEST(TrainArgumentsTest, Defaults) {
  const auto parsed = Parse({"--graph", "g"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.source.graph, "g");
  EXPECT_EQ(a.train.num_layers, 2);
  EXPECT_EQ(a.loader.num_neighbors, (std::vector<int32_t>{10, 10}));
  EXPECT_EQ(a.eval_num_neighbors, a.loader.num_neighbors);
  EXPECT_EQ(a.loader.input_split, "train");
  EXPECT_EQ(a.valid_split, "valid");
  EXPECT_EQ(a.test_split, "test");
  EXPECT_EQ(a.source.worker.buffer_size, 256u << 20);
}

TEST(TrainArgumentsTest, EveryOption) {
  const auto parsed = Parse({"--servers",
                             "127.0.0.1:5000",
                             "--num-neighbors",
                             "15,-1,5",
                             "--eval-num-neighbors",
                             "-1,-1,-1",
                             "--batch-size",
                             "48",
                             "--epochs",
                             "7",
                             "--hidden",
                             "64",
                             "--layers",
                             "3",
                             "--dropout",
                             "0.6",
                             "--input-dropout",
                             "0.7",
                             "--lr",
                             "0.02",
                             "--weight-decay",
                             "0.0005",
                             "--random-seed",
                             "18446744073709551615",
                             "--shuffle",
                             "local",
                             "--input",
                             "geo/train,valid",
                             "--eval-every",
                             "2",
                             "--row-normalize",
                             "--nproc",
                             "4",
                             "--log",
                             "l.jsonl",
                             "--buffer-size",
                             "1.5GiB",
                             "--prefetch",
                             "9",
                             "--rpc-timeout",
                             "2.5",
                             "--no-progress",
                             "--expand",
                             "all",
                             "--num-classes",
                             "40",
                             "--device",
                             "cpu"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.source.worker.servers, "127.0.0.1:5000");
  EXPECT_EQ(a.source.worker.buffer_size, 1610612736u);
  EXPECT_EQ(a.source.worker.prefetch_size, 9);
  EXPECT_EQ(a.source.worker.rpc_timeout, absl::Seconds(2.5));
  EXPECT_EQ(a.loader.num_neighbors, (std::vector<int32_t>{15, -1, 5}));
  EXPECT_EQ(a.eval_num_neighbors, (std::vector<int32_t>{-1, -1, -1}));
  EXPECT_EQ(a.loader.batch_size, 48);
  EXPECT_EQ(a.loader.shuffle, ShuffleMode::kLocal);
  EXPECT_EQ(a.loader.input_split, "geo/train");
  EXPECT_EQ(a.valid_split, "valid");
  EXPECT_EQ(a.test_split, "");
  EXPECT_TRUE(a.loader.expand_all);
  EXPECT_EQ(a.loader.random_seed, UINT64_MAX);
  EXPECT_EQ(a.train.random_seed, UINT64_MAX);
  EXPECT_TRUE(a.train.expand_all);
  EXPECT_EQ(a.train.epochs, 7);
  EXPECT_EQ(a.train.eval_every, 2);
  EXPECT_EQ(a.train.hidden_channels, 64);
  EXPECT_EQ(a.train.num_layers, 3);
  EXPECT_EQ(a.train.dropout, 0.6);
  EXPECT_EQ(a.train.input_dropout, 0.7);
  EXPECT_EQ(a.train.learning_rate, 0.02);
  EXPECT_EQ(a.train.weight_decay, 0.0005);
  EXPECT_EQ(a.train.num_classes, 40);
  EXPECT_EQ(a.train.device, "cpu");
  EXPECT_TRUE(a.train.row_normalize);
  EXPECT_EQ(a.nproc, 4);
  EXPECT_EQ(a.log, "l.jsonl");
  EXPECT_FALSE(a.progress);
}

TEST(TrainArgumentsTest, UsageErrors) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {},
           {"--graph", "g", "--servers", "h:1"},
           {"--graph", "g", "--num-neighbors", "10,x"},
           {"--graph", "g", "--num-neighbors", "-2"},
           {"--graph", "g", "--layers", "3"},
           {"--graph", "g", "--eval-num-neighbors", "5"},
           {"--graph", "g", "--batch-size", "0"},
           {"--graph", "g", "--dropout", "1.5"},
           {"--graph", "g", "--epochs", "0"},
           {"--graph", "g", "--model", "gcn"},
           {"--graph", "g", "--input", ",valid"},
           {"--graph", "g", "--buffer-size", "lots"},
           {"--servers", "nonsense"},
           {"--graph", "g", "--unknown"}}) {
    const auto parsed = Parse(words);
    EXPECT_FALSE(parsed.arguments.has_value());
    EXPECT_EQ(parsed.exit_code, 2);
  }
}

TEST(TrainArgumentsTest, HelpIsNoError) {
  const auto parsed = Parse({"--help"});
  EXPECT_FALSE(parsed.arguments.has_value());
  EXPECT_EQ(parsed.exit_code, 0);
}

}  // namespace
}  // namespace tributary
