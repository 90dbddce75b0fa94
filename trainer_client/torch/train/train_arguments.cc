#include "trainer_client/torch/train/train_arguments.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/session/limits.h"
#include "common/text/parse_byte_size.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/torch/train/train_flags.h"

namespace tributary {
namespace {

constexpr int kExitUsage = 2;

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

absl::Status ReadSampling(const TrainFlagTexts& t, TrainArguments& a) {
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

absl::Status ReadMode(const TrainFlagTexts& t, TrainArguments& a) {
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

absl::Status ReadSource(const TrainFlagTexts& t, TrainArguments& a) {
  if (!a.source.worker_options.empty()) {
    if (t.mode.empty() && a.source.worker.servers.empty() &&
        !a.source.worker.pin_memory && a.source.worker.graph_name.empty() &&
        a.source.worker.worker_key ==
            RemoteDistSamplingWorkerOptions().worker_key) {
      ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode options,
                       ReadWorkerOptions(a.source.worker_options));
      // Ranks wait for each other that long.
      a.source.worker.rpc_timeout = LoaderOptionsOf(options).rpc_timeout;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--worker-options with --servers, --graph-name, --mode, --pin-memory "
        "or --worker-key; allowed: --worker-options alone, as the file has "
        "these options");
  }
  if (!a.source.graph.empty() && !a.source.worker.graph_name.empty()) {
    return absl::InvalidArgumentError(
        "--graph-name with --graph; allowed: with --servers, to name one of "
        "their graphs");
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
  if (!a.source.graph.empty()) worker.servers = "127.0.0.1:1";  // unused
  return worker.Validate();
}

absl::Status ReadTexts(const TrainFlagTexts& t, TrainArguments& a) {
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
  TrainFlagTexts t;
  a.train.num_layers = 0;  // the number of hops
  a.loader.batch_size = 512;
  CLI::App app(
      "Trains a graph neural network on batches that Tributary's "
      "servers sample.",
      "tributary-train");
  DeclareTrainFlags(app, a, t);
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
