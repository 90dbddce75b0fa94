#include "trainer_client/torch/train_arguments.h"

#include <CLI/CLI.hpp>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr int kExitUsage = 2;

constexpr char kFooter[] = R"(Examples:
  tributary-train --graph cora.graph --num-neighbors 10,10 --epochs 40
  tributary-train --servers file:servers.txt --nproc 2 --batch-size 512
  torchrun --no-python --nnodes 4 --nproc-per-node 8 ... \
    tributary-train --servers dns:///sampler:50051)";

// Texts that become something else once all of them are there.
struct Texts {
  std::string model = "sage";
  std::string task = "node";
  std::string num_neighbors = "10,10";
  std::string eval_num_neighbors;
  std::string input = "train,valid,test";
  std::string shuffle = "global";
  std::string expand = "new";
  std::string buffer_size = "256MB";
  double rpc_timeout = 180;
  bool no_progress = false;
};

void DeclareSource(CLI::App& app, TrainArguments& a, Texts& t) {
  auto* graph = app.add_option("--graph", a.source.graph,
                               "Folder of a partitioned graph, sampled inside "
                               "this process");
  app.add_option("--servers", a.source.worker.servers,
                 "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
      ->excludes(graph);
  app.add_option("--buffer-size", t.buffer_size,
                 "Receive ring of each loader, such as 256MB")
      ->capture_default_str();
  app.add_option("--prefetch", a.source.worker.prefetch_size,
                 "Batches asked for ahead")
      ->capture_default_str();
  app.add_option("--rpc-timeout", t.rpc_timeout,
                 "Seconds without a sign of life before giving up")
      ->capture_default_str();
}

void DeclareSampling(CLI::App& app, TrainArguments& a, Texts& t) {
  app.add_option("--num-neighbors", t.num_neighbors,
                 "Neighbours per node and hop, nearest hop first; -1: all. A "
                 "layer for each")
      ->capture_default_str();
  app.add_option("--eval-num-neighbors", t.eval_num_neighbors,
                 "The same for valid and test  [as --num-neighbors]");
  app.add_option("--batch-size", a.loader.batch_size, "Inputs per rank")
      ->capture_default_str();
  app.add_option("--input", t.input,
                 "Splits to train, validate and test on; the last two may be "
                 "left out")
      ->capture_default_str();
  app.add_option("--shuffle", t.shuffle, "Order of the training inputs")
      ->check(CLI::IsMember({"global", "local", "none"}))
      ->capture_default_str();
  app.add_option("--expand", t.expand, "new: PyG's hops, all: DGL's blocks")
      ->check(CLI::IsMember({"new", "all"}))
      ->capture_default_str();
  app.add_flag("--replace", a.loader.replace, "Sample with replacement");
  app.add_option("--random-seed", a.loader.random_seed,
                 "Of order, sampling, parameters and dropout")
      ->capture_default_str();
}

void DeclareTraining(CLI::App& app, TrainArguments& a, Texts& t) {
  TrainOptions& o = a.train;
  auto option = [&](const char* name, auto& value, const char* text) {
    return app.add_option(name, value, text)->capture_default_str();
  };
  option("--model", t.model, "Model")->check(CLI::IsMember({"sage"}));
  option("--task", t.task, "Task")->check(CLI::IsMember({"node"}));
  option("--epochs", o.epochs, "Passes over the training inputs");
  option("--eval-every", o.eval_every, "Epochs between validations");
  option("--hidden", o.hidden_channels, "Channels of hidden layers");
  app.add_option("--layers", o.num_layers,
                 "Layers; must equal the hops  [that]");
  option("--dropout", o.dropout, "After each hidden layer");
  option("--input-dropout", o.input_dropout, "Of the features");
  option("--lr", o.learning_rate, "Adam's learning rate");
  option("--weight-decay", o.weight_decay, "L2, added to the gradient");
  app.add_flag("--row-normalize", o.row_normalize,
               "Divide each feature row by its sum");
  app.add_option("--num-classes", o.num_classes,
                 "[the largest training label + 1, found by a pass]");
  option("--device", o.device, "auto, cpu or cuda");
}

void DeclareRunning(CLI::App& app, TrainArguments& a, Texts& t) {
  app.add_option("--nproc", a.nproc,
                 "Ranks to start on this machine; without it RANK, "
                 "WORLD_SIZE, MASTER_ADDR and MASTER_PORT are read, as "
                 "torchrun sets them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--log", a.log, "Write a JSON object per epoch to this file");
  app.add_flag("--no-progress", t.no_progress, "No progress on a terminal");
}

absl::Status ReadSplits(const std::string& text, TrainArguments& a) {
  const std::vector<std::string> names = absl::StrSplit(text, ',');
  if (names.size() > 3 || names[0].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input is \"", text, "\", allowed are TRAIN[,VALID[,TEST]]"));
  }
  a.loader.input_split = names[0];
  if (names.size() > 1) a.valid_split = names[1];
  if (names.size() > 2) a.test_split = names[2];
  return absl::OkStatus();
}

absl::Status ReadSampling(const Texts& t, TrainArguments& a) {
  static const auto& kShuffles =
      *new std::map<std::string, ShuffleMode>{{"global", ShuffleMode::kGlobal},
                                              {"local", ShuffleMode::kLocal},
                                              {"none", ShuffleMode::kNone}};
  ASSIGN_OR_RETURN(a.loader.num_neighbors,
                   ParseFanouts("--num-neighbors", t.num_neighbors));
  a.eval_num_neighbors = a.loader.num_neighbors;
  if (!t.eval_num_neighbors.empty()) {
    ASSIGN_OR_RETURN(a.eval_num_neighbors, ParseFanouts("--eval-num-neighbors",
                                                        t.eval_num_neighbors));
  }
  if (a.eval_num_neighbors.size() != a.loader.num_neighbors.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--eval-num-neighbors has ", a.eval_num_neighbors.size(),
                     " hops, --num-neighbors ", a.loader.num_neighbors.size()));
  }
  if (a.loader.batch_size < 1) {
    return absl::InvalidArgumentError("--batch-size must be at least 1");
  }
  a.loader.shuffle = kShuffles.at(t.shuffle);
  a.loader.expand_all = a.train.expand_all = t.expand == "all";
  a.train.random_seed = a.loader.random_seed;
  return ReadSplits(t.input, a);
}

absl::Status ReadLayers(TrainArguments& a) {
  const int hops = static_cast<int>(a.loader.num_neighbors.size());
  if (a.train.num_layers != 0 && a.train.num_layers != hops) {
    return absl::InvalidArgumentError(
        absl::StrCat("--layers ", a.train.num_layers,
                     " needs as many fanouts; --num-neighbors has ", hops));
  }
  a.train.num_layers = hops;
  return a.train.Validate();
}

absl::Status ReadSource(const Texts& t, TrainArguments& a) {
  if (a.source.graph.empty() && a.source.worker.servers.empty()) {
    return absl::InvalidArgumentError("--graph DIR or --servers is needed");
  }
  ASSIGN_OR_RETURN(a.source.worker.buffer_size, ParseByteSize(t.buffer_size));
  a.source.worker.rpc_timeout = absl::Seconds(t.rpc_timeout);
  return a.source.graph.empty() ? a.source.worker.Validate() : absl::OkStatus();
}

absl::Status ReadTexts(const Texts& t, TrainArguments& a) {
  a.progress = !t.no_progress;
  RETURN_IF_ERROR(ReadSource(t, a));
  RETURN_IF_ERROR(ReadSampling(t, a));
  return ReadLayers(a);
}

}  // namespace

absl::StatusOr<std::vector<int32_t>> ParseFanouts(const std::string& option,
                                                  const std::string& text) {
  std::vector<int32_t> fanouts;
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(text, ','))) {
    int32_t fanout = 0;
    if (!absl::SimpleAtoi(part, &fanout) || fanout < -1) {
      return absl::InvalidArgumentError(absl::StrCat(
          option, " is \"", text,
          "\", allowed are whole numbers from -1 (all), such as 15,10"));
    }
    fanouts.push_back(fanout);
  }
  return fanouts;
}

ParsedTrainArguments ParseTrainArguments(int argc, const char* const* argv) {
  TrainArguments a;
  Texts t;
  a.train.num_layers = 0;  // as the hops
  a.loader.batch_size = 512;
  CLI::App app(
      "Trains a graph neural network on batches that Tributary's "
      "servers sample.",
      "tributary-train");
  app.footer(kFooter);
  DeclareSource(app, a, t);
  DeclareSampling(app, a, t);
  DeclareTraining(app, a, t);
  DeclareRunning(app, a, t);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return {.exit_code = app.exit(e) == 0 ? 0 : kExitUsage};
  }
  const absl::Status status = ReadTexts(t, a);
  if (!status.ok()) {
    std::cerr << "tributary-train: " << status.message() << "\n"
              << "Run with --help for more information.\n";
    return {.exit_code = kExitUsage};
  }
  return {.arguments = std::move(a)};
}

}  // namespace tributary
