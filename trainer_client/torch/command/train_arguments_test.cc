#include "trainer_client/torch/command/train_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

ParsedTrainArguments Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "tributary-train");
  return ParseTrainArguments(static_cast<int>(words.size()), words.data());
}

TEST(TrainArgumentsTest, Defaults) {
  const auto parsed = Parse({"--graph", "g"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.source.graph, "g");
  EXPECT_EQ(a.train.model.num_layers, 2);
  EXPECT_EQ(a.loader.num_neighbors, (NumNeighbors{10, 10}));
  EXPECT_EQ(a.eval_num_neighbors, a.loader.num_neighbors);
  EXPECT_EQ(a.loader.input_split, "train");
  EXPECT_EQ(a.valid_split, "valid");
  EXPECT_EQ(a.test_split, "test");
  EXPECT_EQ(a.source.worker.buffer_size, 256u << 20);
  EXPECT_FALSE(a.source.worker.pin_memory);
}

TEST(TrainArgumentsTest, RanksOfAMachineShareTheDefaultReceiveMemory) {
  for (const auto& [nproc, mib] :
       {std::pair("1", 256u), std::pair("4", 256u), std::pair("8", 128u),
        std::pair("64", 64u)}) {
    const auto parsed = Parse({"--graph", "g", "--nproc", nproc});
    ASSERT_TRUE(parsed.arguments);
    EXPECT_EQ(parsed.arguments->source.worker.buffer_size, mib << 20) << nproc;
  }
}

TEST(TrainArgumentsTest, Predictions) {
  const auto parsed =
      Parse({"--graph", "g", "--load-model", "m", "--predict", "paper:*",
             "--out", "p/", "--eval-batch-size", "7"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.train.load_model, "m");
  EXPECT_EQ(a.train.epochs, 0);  // predicts without training
  ASSERT_TRUE(a.predict);
  EXPECT_EQ(a.predict->target.type, "paper");
  EXPECT_TRUE(a.predict->target.all_nodes());
  EXPECT_TRUE(a.predict->layerwise());
  EXPECT_EQ(a.predict->out, "p");
  EXPECT_EQ(a.predict->batch_size, 7);
}

TEST(TrainArgumentsTest, ALoadedModelIsTrainedWithEpochsOrWithoutPredictions) {
  const auto both = Parse({"--graph", "g", "--load-model", "m", "--predict",
                           "test", "--out", "p", "--epochs", "3"});
  ASSERT_TRUE(both.arguments);
  EXPECT_EQ(both.arguments->train.epochs, 3);
  EXPECT_FALSE(both.arguments->predict->layerwise());
  const auto start = Parse({"--graph", "g", "--load-model", "m"});
  ASSERT_TRUE(start.arguments);
  EXPECT_EQ(start.arguments->train.epochs, 10);
  EXPECT_FALSE(start.arguments->predict);
  const auto layerwise = Parse({"--graph", "g", "--predict", "test", "--out",
                                "p", "--inference", "layerwise"});
  ASSERT_TRUE(layerwise.arguments);
  EXPECT_EQ(layerwise.arguments->train.epochs, 10);
  EXPECT_TRUE(layerwise.arguments->predict->layerwise());
}

std::string Collects(std::vector<const char*> words) {
  return CollectedColumnsText(Parse(words).arguments->loader.collect);
}

TEST(TrainArgumentsTest, CollectsWhatTheModelReads) {
  EXPECT_EQ(Collects({"--graph", "g"}), "x,y");
  EXPECT_EQ(Collects({"--graph", "g", "--task", "link"}), "x");
}

TEST(TrainArgumentsTest, SparseEmbedding) {
  EXPECT_FALSE(Parse({"--graph", "g", "--node-feats"})
                   .arguments->train.ignores_features());
  EXPECT_EQ(Collects({"--graph", "g", "--sparse-embedding"}), "y");
  const auto all =
      Parse({"--graph", "g", "--task", "link", "--sparse-embedding",
             "--predict", "*", "--out", "p"});
  ASSERT_TRUE(all.arguments);
  EXPECT_EQ(all.arguments->train.sparse.optimizer, "adam");
  EXPECT_EQ(all.arguments->train.sparse.learning_rate, 0.01);
  EXPECT_TRUE(all.arguments->loader.collect.empty());
  EXPECT_TRUE(all.arguments->predict->loader.collect.empty());
  const auto some =
      Parse({"--graph", "g", "--sparse-embedding", "--node-feats",
             "--sparse-lr", "0.06", "--sparse-optimizer", "adagrad"});
  ASSERT_TRUE(some.arguments);
  EXPECT_EQ(CollectedColumnsText(some.arguments->loader.collect), "x,y");
  EXPECT_EQ(some.arguments->train.sparse.learning_rate, 0.06);
  EXPECT_EQ(some.arguments->train.sparse.optimizer, "adagrad");
}

TEST(TrainArgumentsTest, WrongSparseOptionsAreUsageErrors) {
  const auto error = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"--graph", "g"});
    testing::internal::CaptureStderr();
    EXPECT_EQ(Parse(words).exit_code, 2);
    return testing::internal::GetCapturedStderr();
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(error({"--sparse-lr", "0.1"}), "with --sparse-embedding"));
  EXPECT_TRUE(has(error({"--sparse-optimizer", "sgd"}), "--sparse-embedding"));
  EXPECT_TRUE(has(error({"--sparse-embedding", "--sparse-optimizer", "lion"}),
                  "--sparse-optimizer"));
  EXPECT_TRUE(
      has(error({"--sparse-embedding", "--sparse-lr", "0"}), "sparse_lr is 0"));
  EXPECT_TRUE(has(error({"--sparse-embedding", "--clip-grad-norm", "1"}),
                  "clip_grad_norm with sparse_embedding"));
  EXPECT_TRUE(has(error({"--sparse-embedding", "--accumulate", "65537"}),
                  "1 to 65536"));
}

TEST(TrainArgumentsTest, LinksOfSeveralTypesNeedOneToPredict) {
  const std::vector<const char*> words = {
      "--graph",         "g",     "--task", "link",     "--input",
      "a,b,c:x;d,e,f:y", "--out", "p",      "--predict"};
  auto with = [&](const char* target) {
    std::vector<const char*> all = words;
    all.push_back(target);
    return Parse(all);
  };
  EXPECT_FALSE(with("x").arguments);
  EXPECT_TRUE(with("a,b,c:x").arguments);
}

TEST(TrainArgumentsTest, EveryOption) {
  const auto parsed = Parse({"--servers",
                             "127.0.0.1:5000",
                             "--num-neighbors",
                             "15,-1,5",
                             "--eval-num-neighbors",
                             "-1,-1,-1",
                             "--eval-batch-size",
                             "16",
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
                             "--accumulate",
                             "4",
                             "--random-seed",
                             "18446744073709551615",
                             "--shuffle",
                             "none",
                             "--input",
                             "geo/train,valid",
                             "--eval-every",
                             "2",
                             "--row-normalize",
                             "--nproc",
                             "4",
                             "--nnodes",
                             "3",
                             "--node-rank",
                             "2",
                             "--master-addr",
                             "host0",
                             "--master-port",
                             "4000",
                             "--max-restarts",
                             "5",
                             "--replace-timeout",
                             "600",
                             "--resume",
                             "auto",
                             "--checkpoint-dir",
                             "c",
                             "--checkpoint-every",
                             "10",
                             "--log",
                             "l.jsonl",
                             "--buffer-size",
                             "1.5GiB",
                             "--prefetch",
                             "9",
                             "--max-servers",
                             "3",
                             "--pin-memory",
                             "--rpc-timeout",
                             "2.5",
                             "--no-progress",
                             "--expand",
                             "all",
                             "--feature-dtype",
                             "bfloat16",
                             "--num-classes",
                             "40",
                             "--device",
                             "cpu"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.source.worker.servers, "127.0.0.1:5000");
  EXPECT_EQ(a.source.worker.buffer_size, 1610612736u);
  EXPECT_EQ(a.source.worker.prefetch_size, 9);
  EXPECT_EQ(a.source.worker.max_servers, 3);
  EXPECT_TRUE(a.source.worker.pin_memory);
  EXPECT_EQ(a.source.worker.rpc_timeout, absl::Seconds(2.5));
  EXPECT_EQ(a.loader.num_neighbors, (NumNeighbors{15, -1, 5}));
  EXPECT_EQ(a.eval_num_neighbors.by_default,
            (std::vector<int32_t>{-1, -1, -1}));
  EXPECT_EQ(a.loader.batch_size, 48);
  EXPECT_EQ(a.train.accumulate, 4);
  EXPECT_EQ(a.eval_batch_size, 16);
  EXPECT_EQ(a.loader.shuffle, ShuffleMode::kNone);
  EXPECT_EQ(a.loader.input_split, "geo/train");
  EXPECT_EQ(a.valid_split, "valid");
  EXPECT_EQ(a.test_split, "");
  EXPECT_TRUE(a.loader.expand_all);
  EXPECT_EQ(a.loader.feature_dtype, FeatureDType::kBFloat16);
  EXPECT_EQ(a.loader.random_seed, UINT64_MAX);
  EXPECT_EQ(a.train.random_seed, UINT64_MAX);
  EXPECT_TRUE(a.train.expand_all);
  EXPECT_EQ(a.train.epochs, 7);
  EXPECT_EQ(a.train.eval_every, 2);
  EXPECT_EQ(a.train.model.hidden_channels, 64);
  EXPECT_EQ(a.train.model.num_layers, 3);
  EXPECT_EQ(a.train.model.dropout, 0.6);
  EXPECT_EQ(a.train.model.input_dropout, 0.7);
  EXPECT_EQ(a.train.learning_rate, 0.02);
  EXPECT_EQ(a.train.weight_decay, 0.0005);
  EXPECT_EQ(a.train.num_classes, 40);
  EXPECT_EQ(a.train.device, "cpu");
  EXPECT_TRUE(a.train.row_normalize);
  EXPECT_EQ(a.nproc, 4);
  EXPECT_EQ(a.node.nnodes, 3);
  EXPECT_EQ(a.node.node_rank, 2);
  EXPECT_EQ(a.node.master_addr, "host0");
  EXPECT_EQ(a.node.master_port, 4000);
  EXPECT_EQ(a.max_restarts, 5);
  EXPECT_EQ(a.replace_timeout, absl::Minutes(10));
  EXPECT_EQ(a.train.checkpoints.resume, kResumeAuto);
  EXPECT_EQ(a.log, "l.jsonl");
  EXPECT_FALSE(a.progress);
}

TEST(TrainArgumentsTest, SplitsAsInspectPrintsThem) {
  const auto parsed =
      Parse({"--graph", "g", "--input", "0/train,0/valid,12/test"});
  ASSERT_TRUE(parsed.arguments);
  EXPECT_EQ(parsed.arguments->loader.input_split, "0/train");
  EXPECT_EQ(parsed.arguments->valid_split, "0/valid");
  EXPECT_EQ(parsed.arguments->test_split, "12/test");
}

// It complained that there is no type "paper:a,paper".
TEST(TrainArgumentsTest, ATypeIsNamedOnce) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Parse({"--graph", "g", "--input", "paper:a,paper:b"}).arguments);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("with one type for all: paper:a,b"));
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
           {"--graph", "g", "--model", "transformer"},
           {"--graph", "g", "--input", ",valid"},
           {"--graph", "g", "--buffer-size", "lots"},
           {"--servers", "nonsense"},
           {"--graph", "g", "--shuffle", "local"},
           {"--graph", "g", "--feature-dtype", "float"},
           {"--graph", "g", "--num-neighbors", "+5"},
           {"--graph", "g", "--num-neighbors", "1048577"},
           {"--graph", "g", "--num-classes", "16777217"},
           {"--graph", "g", "--layers", "0"},
           {"--graph", "g", "--nproc", "0"},
           {"--graph", "g", "--nnodes", "2"},
           {"--graph", "g", "--nnodes", "2", "--master-addr", "h"},
           {"--graph", "g", "--node-rank", "1"},
           {"--graph", "g", "--master-addr", "h"},
           {"--graph", "g", "--master-port", "0"},
           {"--graph", "g", "--max-restarts", "-1"},
           {"--graph", "g", "--replace-timeout", "60"},
           {"--graph", "g", "--nnodes", "2", "--master-addr", "h",
            "--node-rank", "0", "--replace-timeout", "60"},
           {"--graph", "g", "--nnodes", "2", "--master-addr", "h",
            "--node-rank", "0", "--max-restarts", "1", "--replace-timeout",
            "-1"},
           {"--graph", "g", "--resume", "auto"},
           {"--graph", "g", "--dropout", "nan"},
           {"--graph", "g", "--lr", "1e-2x"},
           {"--graph", "g", "--log-format", "xml"},
           {"--graph", "g", "--log-level", "loud"},
           {"--graph", "g", "--http", "9100"},
           {"--graph", "g", "--http", "127.0.0.1:65535", "--nproc", "2"},
           {"--graph", "g", "--unknown"}}) {
    const auto parsed = Parse(words);
    EXPECT_FALSE(parsed.arguments.has_value());
    EXPECT_EQ(parsed.exit_code, 2);
  }
}

TEST(TrainArgumentsTest, WholeNumbersAreReadStrictly) {
  const auto seed = [](const char* text) -> std::optional<uint64_t> {
    const auto parsed = Parse({"--graph", "g", "--random-seed", text});
    if (!parsed.arguments) return std::nullopt;
    return parsed.arguments->train.random_seed;
  };
  EXPECT_EQ(seed("010"), 10);
  EXPECT_EQ(seed("18446744073709551615"), UINT64_MAX);
  for (const char* bad :
       {"-1", "18446744073709551616", "+1", "0x10", "1e3", "1.0", " 1", ""}) {
    EXPECT_EQ(seed(bad), std::nullopt) << bad;
  }
}

TEST(TrainArgumentsTest, AWrongNumberIsNamedWithWhatIsAllowed) {
  for (const auto& [option, text, allowed] :
       std::vector<std::array<const char*, 3>>{
           {"--random-seed", "-1", "from 0 to 18446744073709551615"},
           {"--epochs", "4294967297", "from 0 to 1073741824"},
           {"--batch-size", "-1", "from 1 to 65536"},
           {"--layers", "99999999999", "from 1 to 16"},
           {"--lr", "inf", "a number, such as 0.5"}}) {
    ::testing::internal::CaptureStderr();
    const auto parsed = Parse({"--graph", "g", option, text});
    const std::string error = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(parsed.exit_code, 2) << option;
    for (const char* part : {option, text, allowed}) {
      EXPECT_NE(error.find(part), std::string::npos) << part << ": " << error;
    }
  }
}

// Of a server in this process as of a fleet: known wrong before it starts.
TEST(TrainArgumentsTest, WorkerOptionsAreCheckedWithEitherSource) {
  for (const auto& [source, where] : std::vector<std::array<const char*, 2>>{
           {"--graph", "g"}, {"--servers", "127.0.0.1:5000"}}) {
    for (const auto& [option, value] :
         std::vector<std::array<const char*, 2>>{{"--prefetch", "0"},
                                                 {"--prefetch", "1025"},
                                                 {"--max-servers", "-1"},
                                                 {"--rpc-timeout", "0.05"},
                                                 {"--rpc-timeout", "86401"},
                                                 {"--rpc-timeout", "nan"},
                                                 {"--rpc-timeout", "inf"},
                                                 {"--buffer-size", "1KB"},
                                                 {"--buffer-size", "0"}}) {
      EXPECT_EQ(Parse({source, where, option, value}).exit_code, 2)
          << source << " " << option << " " << value;
    }
  }
  EXPECT_EQ(Parse({"--graph", "g"}).arguments->source.worker.servers, "");
}

TEST(TrainArgumentsTest, MetricsAreServedWhereAsked) {
  const auto none = Parse({"--graph", "g"});
  ASSERT_TRUE(none.arguments);
  EXPECT_EQ(none.arguments->http, "");
  const auto asked =
      Parse({"--graph", "g", "--http", "127.0.0.1:65534", "--nproc", "2"});
  ASSERT_TRUE(asked.arguments);
  EXPECT_EQ(asked.arguments->http, "127.0.0.1:65534");
}

TEST(TrainArgumentsTest, HelpIsNoError) {
  ::testing::internal::CaptureStdout();
  const auto parsed = Parse({"--help"});
  const std::string help = ::testing::internal::GetCapturedStdout();
  EXPECT_FALSE(parsed.arguments.has_value());
  EXPECT_EQ(parsed.exit_code, 0);
  EXPECT_EQ(help.find("local"), std::string::npos) << help;
  EXPECT_NE(help.find("B=512"), std::string::npos) << help;
}

TEST(TrainArgumentsTest, Modes) {
  const auto mp = Parse({"--graph", "g", "--mode", "mp", "--num-workers", "3",
                         "--worker-program", "w"});
  ASSERT_TRUE(mp.arguments);
  EXPECT_EQ(mp.arguments->source.num_workers, 3);
  EXPECT_EQ(mp.arguments->source.worker_program, "w");
  const auto collocated = Parse({"--graph", "g", "--mode", "collocated"});
  ASSERT_TRUE(collocated.arguments);
  EXPECT_EQ(collocated.arguments->source.num_workers, 0);
  EXPECT_TRUE(
      Parse({"--servers", "127.0.0.1:1", "--mode", "remote"}).arguments);
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{
           {"--graph", "g", "--mode", "remote"},
           {"--servers", "127.0.0.1:1", "--mode", "mp"},
           {"--graph", "g", "--mode", "threads"},
           {"--graph", "g", "--num-workers", "2"},
           {"--graph", "g", "--worker-program", "w"},
           {"--graph", "g", "--mode", "mp", "--num-workers", "0"}}) {
    EXPECT_EQ(Parse(wrong).exit_code, 2) << wrong.back();
  }
}

TEST(TrainArgumentsTest, Links) {
  const auto parsed =
      Parse({"--graph", "g", "--task", "link", "--input",
             "a,r,b:train,valid;c,s,d:train,valid", "--metric", "hits@50",
             "--decoder", "mlp", "--neg-sampling", "triplet", "--neg-amount",
             "3", "--neg-strict", "--exclude", "pair"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  ASSERT_TRUE(a.link);
  EXPECT_EQ(a.link->types.size(), 2);
  EXPECT_EQ(a.link->negatives.mode, NegativeMode::kTriplet);
  EXPECT_EQ(a.link->negatives.amount, 3);
  EXPECT_TRUE(a.link->negatives.strict);
  EXPECT_EQ(a.link->negatives.on_exhausted, OnExhausted::kAccept);
  EXPECT_EQ(a.link->exclude, ExcludeMode::kPair);
  EXPECT_EQ(a.loader.input_split, "");
  const auto& task = std::get<LinkTaskOptions>(a.train.task);
  EXPECT_EQ(task.decoder, LinkDecoder::kMlp);
  EXPECT_EQ(task.edge_types, (std::vector<std::string>{"a,r,b", "c,s,d"}));
  EXPECT_EQ(a.train.metric_of_task(), Metric::Hits(50));
}

TEST(TrainArgumentsTest, LinksByDefault) {
  const auto parsed = Parse({"--graph", "g", "--task", "link"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.link->types[0].test, "test");
  EXPECT_EQ(a.link->negatives.mode, NegativeMode::kBinary);
  EXPECT_EQ(a.link->negatives.amount, 1);
  EXPECT_FALSE(a.link->negatives.strict);
  EXPECT_FALSE(a.link->exclude);
  EXPECT_EQ(a.train.metric_of_task(), Metric::kAveragePrecision);
  EXPECT_FALSE(a.train.counts_classes());
}

TEST(TrainArgumentsTest, TemporalLinks) {
  const auto parsed =
      Parse({"--graph", "g", "--task", "link", "--time", "edge", "--strict",
             "--temporal-strategy", "last", "--edge-time", "times.txt"});
  ASSERT_TRUE(parsed.arguments);
  const TrainArguments& a = *parsed.arguments;
  EXPECT_EQ(a.loader.draws.time, TimeMode::kEdge);
  EXPECT_EQ(a.loader.draws.temporal_strategy, TemporalStrategy::kLast);
  EXPECT_TRUE(a.loader.draws.strict);
  EXPECT_EQ(a.link->types[0].edge_time_file, "times.txt");
}

TEST(TrainArgumentsTest, WrongTemporalOptionsAreUsageErrors) {
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{
           {"--time", "edge"},
           {"--time", "none", "--edge-time", "t"},
           {"--edge-time", "t"},
           {"--strict"},
           {"--temporal-strategy", "last"},
           {"--time", "edge", "--edge-time", ""},
           {"--time", "day", "--edge-time", "t"},
           {"--time", "edge", "--edge-time", "t", "--temporal-strategy",
            "first"}}) {
    std::vector<const char*> words{"--graph", "g", "--task", "link"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Parse(words).exit_code, 2) << wrong.back();
    const bool times_alone = std::string(wrong.back()).empty() ||
                             std::string(wrong.back()) == "edge";
    if (times_alone) continue;  // nodes have their own
    words[3] = "node";
    EXPECT_EQ(Parse(words).exit_code, 2) << wrong.back();
  }
}

TEST(TrainArgumentsTest, NodesHaveTimesOfTheirOwn) {
  const TrainArguments a =
      Parse({"--graph", "g", "--time", "edge", "--strict"}).arguments.value();
  EXPECT_EQ(a.loader.draws.time, TimeMode::kEdge);
  EXPECT_EQ(a.loader.draws.input_time, InputTimeMode::kOwn);
  EXPECT_EQ(Parse({"--graph", "g", "--time", "edge", "--predict", "test",
                   "--out", "o"})
                .exit_code,
            2);
}

// Returns the error of a command line, or "".
std::string Error(const std::vector<const char*>& words) {
  ::testing::internal::CaptureStderr();
  const int code = Parse(words).exit_code;
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, text.empty() ? 0 : 2);
  return text;
}

// A text that the option takes, beside which others are needed.
std::vector<const char*> Example(const std::string& name) {
  static const auto& examples =
      *new std::map<std::string, std::vector<const char*>>{
          {"batch_size", {"7"}},
          {"shuffle", {"none"}},
          {"input_weight", {"@w.npy"}},
          {"random_seed", {"5"}},
          {"feature_dtype", {"int8"}},
          {"num_neighbors", {"4,3"}},
          {"replace", {}},
          {"expand", {"all"}},
          {"draw", {"weighted"}},
          {"layer_dependency", {"--draw", "labor"}},
          {"time", {"node"}},
          {"temporal_strategy", {"last", "--time", "node"}},
          {"strict", {"--time", "node"}},
          {"disjoint", {}},
          {"edge_mask", {"m"}},
          {"edge_predicate", {"edge_time < 5"}},
          {"neg_sampling", {"triplet", "--task", "link"}},
          {"neg_amount", {"2", "--task", "link"}},
          {"neg_degree_power", {"0.75", "--task", "link"}},
          {"neg_strict", {"--task", "link"}},
          {"on_exhausted", {"error", "--neg-strict", "--task", "link"}},
          {"exclude", {"pair", "--task", "link"}}};
  const auto found = examples.find(name);
  return found == examples.end() ? std::vector<const char*>{"2"}
                                 : found->second;
}

TEST(TrainArgumentsTest, EachOptionOfTheTableIsTakenOrRefusedByName) {
  int refused = 0;
  for (const SessionOption& option : SessionTable()) {
    const std::string flag = FlagOf(option.words.name);
    std::vector<const char*> words{"--graph", "g", flag.c_str()};
    for (const char* word : Example(option.words.name)) {
      const bool value = words.size() == 3 && word[0] != '-';
      if (option.form != OptionForm::kFlag || !value) words.push_back(word);
    }
    const std::string error = Error(words);
    if (error.empty()) continue;
    ++refused;
    EXPECT_THAT(error, HasSubstr(flag + " has no use here: "));
    EXPECT_THAT(error, HasSubstr("; allowed: without it"));
  }
  EXPECT_EQ(refused, 25);
}

TEST(TrainArgumentsTest, AnEstimateOfUniformDrawsRefusesOthers) {
  const std::vector<std::vector<const char*>> others = {
      {"--draw", "weighted"},
      {"--edge-mask", "m"},
      {"--edge-predicate", "edge_time < 5"}};
  for (const std::vector<const char*>& draws : others) {
    std::vector<const char*> words{"--graph", "g",       "--norm",
                                   "both",    "--model", "gcn"};
    words.insert(words.end(), draws.begin(), draws.end());
    EXPECT_THAT(Error(words),
                HasSubstr(std::string(draws[0]) + " with --model gcn"));
    words[3] = "right";
    EXPECT_EQ(Error(words), "");
    words[3] = "both";
    words[5] = "sage";
    EXPECT_EQ(Error(words), "");
  }
}

TEST(TrainArgumentsTest, ASessionsFile) {
  const std::string path = testing::TempDir() + "/session.json";
  std::ofstream(path) << R"({"num_neighbors": [4, 3], "batch_size": 64,
                             "draw": "labor", "time": "none"})";
  const TrainArguments a =
      Parse({"--graph", "g", "--session", path.c_str(), "--batch-size", "32"})
          .arguments.value();
  EXPECT_EQ(a.loader.num_neighbors, (NumNeighbors{4, 3}));
  EXPECT_EQ(a.eval_num_neighbors, a.loader.num_neighbors);
  EXPECT_EQ(a.loader.draws.draw, DrawMode::kLabor);
  EXPECT_EQ(a.loader.batch_size, 32);
  std::ofstream(path) << R"({"input_nodes": "train"})";
  EXPECT_THAT(Error({"--graph", "g", "--session", path.c_str()}),
              HasSubstr("--input-nodes has no use here: --input names"));
}

TEST(TrainArgumentsTest, WrongLinkOptionsAreUsageErrors) {
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{
           {"--decoder", "dot"},
           {"--task", "regression", "--neg-amount", "2"},
           {"--task", "node", "--neg-strict"},
           {"--task", "link", "--decoder", "cosine"},
           {"--task", "link", "--neg-sampling", "destination"},
           {"--task", "link", "--neg-amount", "0"},
           {"--task", "link", "--neg-amount", "nan"},
           {"--task", "link", "--neg-sampling", "triplet", "--neg-amount",
            "1.5"},
           {"--task", "link", "--exclude", "reverse"},
           {"--task", "link", "--metric", "accuracy"},
           {"--task", "link", "--metric", "hits@0"},
           {"--task", "link", "--input", "node:train"}}) {
    std::vector<const char*> words{"--graph", "g"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Parse(words).exit_code, 2) << wrong.back();
  }
}

// The ranks' own waits follow the file's.
TEST(TrainArgumentsTest, WorkerOptionsComeFromAFile) {
  const std::string path = ::testing::TempDir() + "/worker.json";
  std::ofstream(path) << R"({"mode": "mp", "graph": "g", "rpc_timeout": 7})";
  const auto parsed = Parse({"--worker-options", path.c_str()});
  ASSERT_TRUE(parsed.arguments);
  EXPECT_EQ(parsed.arguments->source.worker_options, path);
  EXPECT_EQ(parsed.arguments->source.worker.rpc_timeout, absl::Seconds(7));
  EXPECT_EQ(Parse({"--worker-options", path.c_str(), "--mode", "mp"}).exit_code,
            2);
  EXPECT_EQ(Parse({"--worker-options", path.c_str(), "--pin-memory"}).exit_code,
            2);
  EXPECT_EQ(
      Parse({"--worker-options", path.c_str(), "--graph-name", "g"}).exit_code,
      2);
  EXPECT_EQ(Parse({"--worker-options", "/nowhere.json"}).exit_code, 2);
}

}  // namespace
}  // namespace tributary
