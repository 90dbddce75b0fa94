#include "trainer_client/torch/command/train_arguments.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/text/parse_byte_size.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/torch/command/train_flags.h"

namespace tributary {
namespace {

constexpr int kExitUsage = 2;

// Reads "[TYPE:]TRAIN[,VALID[,TEST]]".
absl::Status ReadSplits(const std::string& text, TrainArguments& a) {
  const size_t colon = text.find(':');
  const std::vector<std::string> names = absl::StrSplit(
      colon == std::string::npos ? text : text.substr(colon + 1), ',');
  if (names.size() > 3 || names[0].empty() || colon == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input is \"", text, "\", allowed are [TYPE:]TRAIN[,VALID[,TEST]]"));
  }
  if (colon != std::string::npos) {
    a.loader.input_type = a.train.input_type = text.substr(0, colon);
  }
  a.loader.input_split = names[0];
  if (names.size() > 1) a.valid_split = names[1];
  if (names.size() > 2) a.test_split = names[2];
  return absl::OkStatus();
}

absl::StatusOr<NumNeighbors> ReadFanouts(absl::string_view option,
                                         const std::string& text) {
  absl::StatusOr<NumNeighbors> fanouts = ParseNumNeighbors(text);
  const absl::Status status =
      fanouts.ok() ? CheckNumNeighbors(*fanouts) : fanouts.status();
  if (status.ok()) return fanouts;
  return absl::InvalidArgumentError(absl::StrCat(
      option, " is \"", text, "\": ", std::string(status.message()),
      "; allowed: a number for each hop, -1 for all: 15,10; in typed graphs "
      "also 4,3;src,rel,dst=2,0"));
}

size_t HopsOf(const NumNeighbors& fanouts) {
  return fanouts.by_default.empty()
             ? fanouts.by_edge_type.begin()->second.size()
             : fanouts.by_default.size();
}

absl::Status ReadHops(const TrainFlagTexts& t, TrainArguments& a) {
  ASSIGN_OR_RETURN(const NumNeighbors fanouts,
                   ReadFanouts("--num-neighbors", t.num_neighbors));
  a.eval_num_neighbors = fanouts;
  if (!t.eval_num_neighbors.empty()) {
    ASSIGN_OR_RETURN(a.eval_num_neighbors,
                     ReadFanouts("--eval-num-neighbors", t.eval_num_neighbors));
  }
  if (HopsOf(a.eval_num_neighbors) != HopsOf(fanouts)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--eval-num-neighbors has ", HopsOf(a.eval_num_neighbors),
                     " hops, --num-neighbors ", HopsOf(fanouts)));
  }
  SetNumNeighbors(fanouts, &a.loader);
  return absl::OkStatus();
}

absl::Status ReadSampling(const TrainFlagTexts& t, TrainArguments& a) {
  RETURN_IF_ERROR(ReadHops(t, a));
  a.loader.shuffle =
      t.shuffle == "none" ? ShuffleMode::kNone : ShuffleMode::kGlobal;
  a.loader.expand_all = a.train.expand_all = t.expand == "all";
  a.train.random_seed = a.loader.random_seed;
  ASSIGN_OR_RETURN(a.loader.feature_dtype,
                   FeatureDTypeFromName(t.feature_dtype));
  return absl::OkStatus();
}

absl::Status ReadNegatives(const TrainFlagTexts& t, NegativeSampling& to) {
  if (t.neg_sampling == "triplet") to.mode = NegativeMode::kTriplet;
  to.strict = t.neg_strict;
  // One node with edges to nearly all others does not end a run.
  if (to.strict) to.on_exhausted = OnExhausted::kAccept;
  if (t.neg_amount.empty()) return absl::OkStatus();
  const std::optional<double> amount = ParseNumber<double>(t.neg_amount);
  const bool whole = to.mode == NegativeMode::kTriplet;
  if (!amount || !std::isfinite(*amount) || *amount <= 0 ||
      (whole && *amount != std::floor(*amount))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--neg-amount is \"", t.neg_amount, "\", allowed are numbers above 0",
        whole ? ", whole with --neg-sampling triplet" : ""));
  }
  to.amount = *amount;
  return absl::OkStatus();
}

ExcludeMode ExcludeFromName(absl::string_view name) {
  if (name == "self") return ExcludeMode::kSelf;
  if (name == "reverse_id") return ExcludeMode::kReverseId;
  if (name == "reverse_types") return ExcludeMode::kReverseTypes;
  if (name == "pair") return ExcludeMode::kPair;
  return ExcludeMode::kNone;
}

absl::Status ReadLinks(const TrainFlagTexts& t, TrainArguments& a) {
  LinkSampling link;
  ASSIGN_OR_RETURN(link.types, ParseLinkSplits(t.input));
  RETURN_IF_ERROR(ReadNegatives(t, link.negatives));
  if (!t.exclude.empty()) link.exclude = ExcludeFromName(t.exclude);
  LinkTaskOptions task;
  if (!t.decoder.empty()) {
    ASSIGN_OR_RETURN(task.decoder, LinkDecoderFromName(t.decoder));
  }
  for (const LinkSplits& splits : link.types) {
    if (!splits.edge_type.empty()) task.edge_types.push_back(splits.edge_type);
  }
  a.train.task = std::move(task);
  a.link = std::move(link);
  return absl::OkStatus();
}

absl::Status ReadNodes(const TrainFlagTexts& t, TrainArguments& a) {
  for (const auto& [name, given] :
       {std::pair("--decoder", !t.decoder.empty()),
        std::pair("--neg-sampling", !t.neg_sampling.empty()),
        std::pair("--neg-amount", !t.neg_amount.empty()),
        std::pair("--neg-strict", t.neg_strict),
        std::pair("--exclude", !t.exclude.empty())}) {
    if (!given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, " with --task ", t.task, "; allowed: with --task link"));
  }
  a.train.task = t.task == "multilabel"   ? NodeTaskKind::kMultiLabel
                 : t.task == "regression" ? NodeTaskKind::kRegression
                                          : NodeTaskKind::kClassification;
  return ReadSplits(t.input, a);
}

absl::Status ReadTask(const TrainFlagTexts& t, TrainArguments& a) {
  RETURN_IF_ERROR(t.task == "link" ? ReadLinks(t, a) : ReadNodes(t, a));
  if (!t.metric.empty()) {
    ASSIGN_OR_RETURN(a.train.metric, MetricFromName(t.metric));
  }
  ASSIGN_OR_RETURN(a.train.schedule.kind,
                   LrScheduleKindFromName(t.lr_schedule));
  ASSIGN_OR_RETURN(a.train.schedule.unit, LrScheduleUnitFromName(t.lr_unit));
  a.train.checkpoints.every = absl::Minutes(t.checkpoint_minutes);
  a.train.checkpoints.keep = t.checkpoint_keep;
  if (t.patience > 0) {
    a.train.early_stopping = {.patience = t.patience, .min_delta = t.min_delta};
  }
  return absl::OkStatus();
}

absl::Status ReadLayers(TrainArguments& a) {
  const int hops = static_cast<int>(HopsOf(a.eval_num_neighbors));
  if (a.train.model.num_layers != 0 && a.train.model.num_layers != hops) {
    return absl::InvalidArgumentError(
        absl::StrCat("--layers ", a.train.model.num_layers,
                     " needs as many fanouts; --num-neighbors has ", hops));
  }
  a.train.model.num_layers = hops;
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
  RETURN_IF_ERROR(a.node.Validate());
  RETURN_IF_ERROR(ReadSource(t, a));
  RETURN_IF_ERROR(ReadSampling(t, a));
  RETURN_IF_ERROR(ReadTask(t, a));
  return ReadLayers(a);
}

int RefuseUsage(absl::string_view why) {
  std::cerr << TerminalError(
      "tributary-train", absl::StrCat(why, "\nTry `tributary-train --help`."));
  return kExitUsage;
}

}  // namespace

ParsedTrainArguments ParseTrainArguments(int argc, const char* const* argv) {
  TrainArguments a;
  TrainFlagTexts t;
  a.train.model.num_layers = 0;  // the number of hops
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
