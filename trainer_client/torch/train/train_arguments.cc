#include "trainer_client/torch/train/train_arguments.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/session/limits.h"
#include "common/text/parse_byte_size.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/modes/options_file.h"

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
  std::string feature_dtype = "stored";
  std::string buffer_size = "256MB";
  std::string mode;  // empty: by --graph or --servers
  int num_workers = 1;
  double rpc_timeout = 180;
  bool no_progress = false;
};

// CLI11 itself reads numbers as C does: -1 is the largest unsigned one, what is
// too large becomes the largest, 010 is eight.
template <typename T>
CLI::Option* AddWhole(CLI::App& app, const std::string& name, T& value, T min,
                      T max, const std::string& help) {
  auto read = [&value, name, min, max](const std::string& text) {
    const std::optional<T> number = ParseNumber<T>(text);
    if (!number || *number < min || *number > max) {
      throw CLI::ValidationError(
          name, absl::StrCat("\"", text, "\"; allowed: a whole number from ",
                             min, " to ", max));
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("WHOLE")
      ->default_str(absl::StrCat(value));
}

// Its range is checked with all others.
CLI::Option* AddReal(CLI::App& app, const std::string& name, double& value,
                     const std::string& help) {
  auto read = [&value, name](const std::string& text) {
    const std::optional<double> number = ParseNumber<double>(text);
    if (!number || !std::isfinite(*number)) {
      throw CLI::ValidationError(
          name, absl::StrCat("\"", text, "\"; allowed: a number, such as 0.5"));
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("NUMBER")
      ->default_str(absl::StrCat(value));
}

void DeclareSource(CLI::App& app, TrainArguments& a, Texts& t) {
  auto* graph = app.add_option("--graph", a.source.graph,
                               "Folder of a partitioned graph, sampled inside "
                               "this process");
  app.add_option("--servers", a.source.worker.servers,
                 "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
      ->excludes(graph);
  app.add_option("--worker-options", a.source.worker_options,
                 "In place of these: a JSON file with the mode and its options")
      ->excludes(graph);
  app.add_option("--mode", t.mode,
                 "Of --graph: collocated (in this process) or mp (processes "
                 "of each rank, over shared memory)  [collocated]")
      ->check(CLI::IsMember({"collocated", "mp", "remote"}));
  AddWhole(app, "--num-workers", t.num_workers, 1, 64, "Processes of mode mp");
  app.add_option("--worker-program", a.source.worker_program,
                 "The tributary program that mode mp starts  [beside this one, "
                 "or in PATH]");
  app.add_option("--buffer-size", t.buffer_size,
                 "Receive ring of each loader, such as 256MB")
      ->capture_default_str();
  AddWhole(app, "--prefetch", a.source.worker.prefetch_size, 1, 1024,
           "Batches asked for ahead");
  app.add_flag("--pin-memory", a.source.worker.pin_memory,
               "Receive into page-locked memory, from which GPUs copy while "
               "the CPU goes on; without CUDA a warning and plain memory");
  app.add_option("--worker-key", a.source.worker.worker_key,
                 "The job's name, by which servers share themselves out")
      ->capture_default_str();
  app.add_option("--graph-name", a.source.worker.graph_name,
                 "Which of the servers' graphs: NAME, its newest version, or "
                 "NAME@VERSION");
  AddReal(app, "--rpc-timeout", t.rpc_timeout,
          "Longest wait for one batch in seconds, whatever servers report");
}

void DeclareSampling(CLI::App& app, TrainArguments& a, Texts& t) {
  app.add_option("--num-neighbors", t.num_neighbors,
                 "Neighbours per node and hop, nearest hop first; -1: all. A "
                 "layer for each")
      ->capture_default_str();
  app.add_option("--eval-num-neighbors", t.eval_num_neighbors,
                 "The same for valid and test  [as --num-neighbors]");
  AddWhole<uint64_t>(app, "--batch-size", a.loader.batch_size, 1, kMaxBatchSize,
                     "Inputs per rank");
  app.add_option("--input", t.input,
                 "Splits to train, validate and test on; the last two may be "
                 "left out")
      ->capture_default_str();
  app.add_option("--shuffle", t.shuffle, "Order of the training inputs")
      ->check(CLI::IsMember({"global", "none"}))
      ->capture_default_str();
  app.add_option("--expand", t.expand, "new: PyG's hops, all: DGL's blocks")
      ->check(CLI::IsMember({"new", "all"}))
      ->capture_default_str();
  app.add_option("--feature-dtype", t.feature_dtype,
                 "Precision in which features travel; the model computes in "
                 "float32")
      ->check(CLI::IsMember({"stored", "float16", "bfloat16", "int8"}))
      ->capture_default_str();
  app.add_flag("--replace", a.loader.replace, "Sample with replacement");
  AddWhole<uint64_t>(app, "--random-seed", a.loader.random_seed, 0,
                     std::numeric_limits<uint64_t>::max(),
                     "Of order, sampling, parameters and dropout");
}

void DeclareTraining(CLI::App& app, TrainArguments& a, Texts& t) {
  TrainOptions& o = a.train;
  auto option = [&](const char* name, auto& value, const char* text) {
    return app.add_option(name, value, text)->capture_default_str();
  };
  option("--model", t.model, "Model")->check(CLI::IsMember({"sage"}));
  option("--task", t.task, "Task")->check(CLI::IsMember({"node"}));
  AddWhole<uint64_t>(app, "--epochs", o.epochs, 1, o.kMaxEpochs,
                     "Passes over the training inputs");
  AddWhole<uint64_t>(app, "--eval-every", o.eval_every, 1, o.kMaxEpochs,
                     "Epochs between validations");
  AddWhole<int64_t>(app, "--hidden", o.hidden_channels, 1, o.kMaxHiddenChannels,
                    "Channels of hidden layers");
  AddWhole<int>(app, "--layers", o.num_layers, 1, o.kMaxLayers,
                "Layers; must equal the hops")
      ->default_str("that");
  AddReal(app, "--dropout", o.dropout, "After each hidden layer");
  AddReal(app, "--input-dropout", o.input_dropout, "Of the features");
  AddReal(app, "--lr", o.learning_rate, "Adam's learning rate");
  AddReal(app, "--weight-decay", o.weight_decay, "L2, added to the gradient");
  app.add_flag("--row-normalize", o.row_normalize,
               "Divide each feature row by its sum");
  AddWhole<int64_t>(app, "--num-classes", o.num_classes, 0, o.kMaxClasses,
                    "0: the largest training label + 1, found by a pass");
  option("--device", o.device, "auto, cpu or cuda");
}

void DeclareRunning(CLI::App& app, TrainArguments& a, Texts& t) {
  AddWhole(app, "--nproc", a.nproc, 1, 1024,
           "Ranks to start on this machine; without it RANK, WORLD_SIZE, "
           "MASTER_ADDR and MASTER_PORT are read, as torchrun sets them");
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
  a.loader.shuffle =
      t.shuffle == "none" ? ShuffleMode::kNone : ShuffleMode::kGlobal;
  a.loader.expand_all = a.train.expand_all = t.expand == "all";
  a.train.random_seed = a.loader.random_seed;
  ASSIGN_OR_RETURN(a.loader.feature_dtype,
                   FeatureDTypeFromName(t.feature_dtype));
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

absl::Status ReadMode(const Texts& t, TrainArguments& a) {
  if (!t.mode.empty() && a.source.graph.empty() != (t.mode == "remote")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--mode ", t.mode, " with --",
        a.source.graph.empty() ? "servers" : "graph",
        "; allowed: collocated, mp with --graph; remote with --servers"));
  }
  if (t.mode == "mp") a.source.num_workers = t.num_workers;
  if (t.mode == "mp" ||
      (t.num_workers == 1 && a.source.worker_program.empty())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--num-workers or --worker-program; allowed: with --mode mp");
}

absl::Status ReadSource(const Texts& t, TrainArguments& a) {
  if (!a.source.worker_options.empty()) {
    if (t.mode.empty() && a.source.worker.servers.empty() &&
        !a.source.worker.pin_memory && a.source.worker.graph_name.empty() &&
        a.source.worker.worker_key ==
            RemoteDistSamplingWorkerOptions().worker_key) {
      ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode options,
                       ReadWorkerOptions(a.source.worker_options));
      // Ranks wait for each other as long.
      a.source.worker.rpc_timeout = LoaderOptionsOf(options).rpc_timeout;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--worker-options with --servers, --graph-name, --mode, --pin-memory "
        "or --worker-key; allowed: without, for the file says them");
  }
  if (!a.source.graph.empty() && !a.source.worker.graph_name.empty()) {
    return absl::InvalidArgumentError(
        "--graph-name with --graph; allowed: with --servers, of whose graphs "
        "it names one");
  }
  if (a.source.graph.empty() && a.source.worker.servers.empty()) {
    return absl::InvalidArgumentError(
        "--graph DIR, --servers or --worker-options is needed");
  }
  RETURN_IF_ERROR(ReadMode(t, a));
  const absl::StatusOr<uint64_t> buffer_size = ParseByteSize(t.buffer_size);
  if (!buffer_size.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--buffer-size ", buffer_size.status().message()));
  }
  a.source.worker.buffer_size = *buffer_size;
  a.source.worker.rpc_timeout = absl::Seconds(t.rpc_timeout);
  RemoteDistSamplingWorkerOptions worker = a.source.worker;
  if (!a.source.graph.empty()) worker.servers = "127.0.0.1:1";  // any
  return worker.Validate();
}

absl::Status ReadTexts(const Texts& t, TrainArguments& a) {
  a.progress = !t.no_progress;
  RETURN_IF_ERROR(ReadSource(t, a));
  RETURN_IF_ERROR(ReadSampling(t, a));
  return ReadLayers(a);
}

int RefuseUsage(absl::string_view why) {
  std::cerr << TerminalError(
      "tributary-train", absl::StrCat(why, "\nTry `tributary-train --help`."));
  return kExitUsage;
}

}  // namespace

absl::StatusOr<std::vector<int32_t>> ParseFanouts(const std::string& option,
                                                  const std::string& text) {
  std::vector<int32_t> fanouts;
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(text, ','))) {
    const std::optional<int32_t> fanout = ParseNumber<int32_t>(part);
    if (!fanout || *fanout < -1 || *fanout > kMaxFanout) {
      return absl::InvalidArgumentError(
          absl::StrCat(option, " is \"", text,
                       "\", allowed are whole numbers from -1 (all) to ",
                       kMaxFanout, ", such as 15,10"));
    }
    fanouts.push_back(*fanout);
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
    if (e.get_exit_code() == 0) return {.exit_code = app.exit(e)};  // --help
    return {.exit_code =
                RefuseUsage(absl::StrReplaceAll(e.what(), {{"\n", " "}}))};
  }
  const absl::Status status = ReadTexts(t, a);
  if (!status.ok()) return {.exit_code = RefuseUsage(status.message())};
  return {.arguments = std::move(a)};
}

}  // namespace tributary
