#include "trainer_client/torch/command/train_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/identity/tls_files.h"
#include "common/observe/log_flags.h"
#include "common/observe/log_format.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/core/kinds/edge_type_pattern.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/torch/command/train_flags.h"
#include "trainer_client/torch/command/train_session.h"
#include "trainer_client/torch/observe/rank_address.h"
#include "trainer_client/torch/sessions/link_times.h"

namespace tributary {
namespace {

constexpr int kExitUsage = 2;

// The error of "paper:a,paper:b", whose type is to be named once.
absl::Status TypeTwice(const std::string& text) {
  std::string type;
  std::vector<std::string> splits;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const size_t colon = part.rfind(':');
    splits.emplace_back(part.substr(colon + 1));  // npos + 1 is 0
    if (type.empty()) type = std::string(part.substr(0, colon + 1));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--input is \"", text,
      "\", with a type at each split, allowed are [TYPE:]TRAIN[,VALID[,TEST]] "
      "with one type for all: ",
      type, absl::StrJoin(splits, ",")));
}

// Reads "[TYPE:]TRAIN[,VALID[,TEST]]".
absl::Status ReadSplits(const std::string& text, TrainArguments& a) {
  const size_t colon = text.rfind(':');  // types may contain colons
  const std::vector<std::string> names = absl::StrSplit(
      colon == std::string::npos ? text : text.substr(colon + 1), ',');
  const std::string type =
      colon == std::string::npos ? "" : text.substr(0, colon);
  // Types of nodes have no comma.
  if (absl::StrContains(type, ',') && text.find(':') < text.find(',')) {
    return TypeTwice(text);
  }
  if (names.size() > 3 || names[0].empty() || colon == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input is \"", text, "\", allowed are [TYPE:]TRAIN[,VALID[,TEST]]"));
  }
  if (colon != std::string::npos) {
    a.loader.input_type = a.train.input_type = type;
  }
  a.loader.input_split = names[0];
  if (names.size() > 1) a.valid_split = names[1];
  if (names.size() > 2) a.test_split = names[2];
  return absl::OkStatus();
}

// Reads the files of the links' times. `draws` says whether they have any.
absl::Status ReadTimes(const TrainFlagTexts& t, const DrawOptions& draws,
                       LinkSampling& link) {
  if (draws.time == TimeMode::kNone) {
    if (t.edge_time.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--edge-time without --time; allowed: with --time edge or node");
  }
  const std::string time = t.session.Get("time");
  if (t.edge_time.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--time ", time,
        " with --task link needs the links' times; allowed: with --edge-time "
        "FILE, a time for each edge"));
  }
  if (absl::c_any_of(link.types, [](const LinkSplits& splits) {
        return IsEdgeTypePattern(splits.edge_type);
      })) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--time ", time,
        " with a pattern in --input; allowed: with edge types, for each has "
        "times of its own"));
  }
  return ParseEdgeTimeFiles(t.edge_time, &link.types);
}

absl::Status ReadLinks(const TrainFlagTexts& t, TrainArguments& a) {
  LinkSampling& link = *a.link;
  ASSIGN_OR_RETURN(link.types, ParseLinkSplits(t.input));
  LinkTaskOptions task;
  if (!t.decoder.empty()) {
    ASSIGN_OR_RETURN(task.decoder, LinkDecoderFromName(t.decoder));
  }
  if (t.loss == "softmax") task.loss = LinkLoss::kSoftmax;
  for (const LinkSplits& splits : link.types) {
    if (!splits.edge_type.empty()) task.edge_types.push_back(splits.edge_type);
  }
  RETURN_IF_ERROR(ReadTimes(t, a.loader.draws, link));
  a.train.task = std::move(task);
  return absl::OkStatus();
}

absl::Status ReadNodes(const TrainFlagTexts& t, TrainArguments& a) {
  for (const auto& [name, given] :
       {std::pair("--decoder", !t.decoder.empty()),
        std::pair("--loss", !t.loss.empty()),
        std::pair("--edge-time", !t.edge_time.empty())}) {
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
  if (!t.metric.empty()) {
    ASSIGN_OR_RETURN(a.train.metric, MetricFromName(t.metric));
  }
  RETURN_IF_ERROR(t.task == "link" ? ReadLinks(t, a) : ReadNodes(t, a));
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

absl::Status ReadPredictionTarget(const TrainFlagTexts& t, TrainArguments& a) {
  PredictOptions& predict = *a.predict;
  if (a.loader.draws.time != TimeMode::kNone) {
    return absl::InvalidArgumentError(
        absl::StrCat("--time ", t.session.Get("time"),
                     " with --predict; allowed: without --time"));
  }
  ASSIGN_OR_RETURN(predict.target, ParsePredictionTarget(t.predict));
  if (t.out.empty()) {
    return absl::InvalidArgumentError(
        "--predict without --out; allowed: with --out DIR, the folder for the "
        "predictions");
  }
  predict.out = t.out;
  while (predict.out.size() > 1 && predict.out.back() == '/') {
    predict.out.pop_back();
  }
  if (!t.inference.empty()) {
    predict.inference = t.inference == "layerwise" ? InferenceMode::kLayerwise
                                                   : InferenceMode::kSampled;
  }
  const bool several_types =
      a.link && (a.link->types.size() > 1 ||
                 IsEdgeTypePattern(a.link->types[0].edge_type));
  if (several_types && !predict.target.all_nodes() &&
      predict.target.type.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--predict ", t.predict,
        " with links of several types; allowed: SRC,REL,DST:SPLIT"));
  }
  return absl::OkStatus();
}

absl::Status ReadPrediction(const TrainFlagTexts& t, TrainArguments& a) {
  if (t.predict.empty()) {
    const char* given = !t.out.empty()         ? "--out"
                        : !t.inference.empty() ? "--inference"
                        : !t.ext_ids.empty()   ? "--ext-ids"
                                               : nullptr;
    if (given == nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(given, " without --predict; allowed: with --predict"));
  }
  a.predict.emplace();
  RETURN_IF_ERROR(ReadPredictionTarget(t, a));
  PredictOptions& predict = *a.predict;
  predict.loader = a.loader;
  predict.eval_num_neighbors = a.eval_num_neighbors;
  predict.batch_size =
      a.eval_batch_size > 0 ? a.eval_batch_size : a.loader.batch_size;
  predict.link = a.link;
  predict.ext_ids = t.ext_ids;
  return absl::OkStatus();
}

// Decides whether there is training, and refuses a run without any result.
absl::Status ReadEpochs(const TrainFlagTexts& t, TrainArguments& a) {
  if (!a.train.load_model.empty() && !a.train.checkpoints.resume.empty() &&
      a.train.checkpoints.resume != kResumeAuto) {
    return absl::InvalidArgumentError(
        "--load-model with --resume; allowed: one of them, as a checkpoint has "
        "parameters of its own");
  }
  if (a.predict && !a.train.load_model.empty() && !t.epochs_given) {
    a.train.epochs = 0;
  }
  if (a.train.epochs > 0 || a.predict || !a.train.load_model.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--epochs is \"0\"; allowed: a whole number from 1 to ",
      TrainOptions::kMaxEpochs, "; 0 with --load-model or --predict"));
}

absl::Status ReadLayers(TrainArguments& a) {
  const int hops = static_cast<int>(a.eval_num_neighbors.hops());
  if (a.train.model.num_layers != 0 && a.train.model.num_layers != hops) {
    return absl::InvalidArgumentError(
        absl::StrCat("--layers ", a.train.model.num_layers,
                     " needs as many fanouts; --num-neighbors has ", hops));
  }
  a.train.model.num_layers = hops;
  return a.train.Validate();
}

// Returns the bytes of each loader's ring. By default the ranks of a machine
// share 1 GiB per loader, and none has less than 64 MiB.
absl::StatusOr<uint64_t> BufferSize(const TrainFlagTexts& t, int nproc) {
  if (t.buffer_size.empty()) {
    constexpr uint64_t kMiB = uint64_t{1} << 20;
    const auto ranks = static_cast<uint64_t>(std::max(nproc, 1));
    return std::clamp(1024 / ranks, uint64_t{64}, uint64_t{256}) * kMiB;
  }
  absl::StatusOr<uint64_t> bytes = ParseByteSize(t.buffer_size);
  if (bytes.ok()) return bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("--buffer-size ", bytes.status().message()));
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
  // Local modes have no use for the files, which the environment may name all
  // the same.
  if (!a.source.graph.empty()) a.source.worker.tls = {};
  RETURN_IF_ERROR(CheckTlsFiles(a.source.worker.tls));
  if (!a.source.worker_options.empty()) {
    if (t.mode.empty() && a.source.worker.servers.empty() &&
        !a.source.worker.pin_memory && a.source.worker.graph_name.empty() &&
        a.source.worker.worker_key ==
            RemoteDistSamplingWorkerOptions().worker_key) {
      ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode options,
                       ReadWorkerOptions(a.source.worker_options));
      // Ranks wait for each other that long.
      const RemoteDistSamplingWorkerOptions loader = LoaderOptionsOf(options);
      a.source.worker.rpc_timeout = loader.rpc_timeout;
      // For the plan.
      a.source.worker.buffer_size = loader.buffer_size;
      a.source.worker.prefetch_size = loader.prefetch_size;
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
  const std::string& cache = a.source.worker.trainer_cache;
  if (!a.source.graph.empty() && cache != "off" && cache != "auto") {
    return absl::InvalidArgumentError(
        "--trainer-cache with --graph; allowed: with --servers; in the same "
        "process, and over shared memory, rows are not sent");
  }
  if (!a.source.graph.empty() && a.source.worker.transport != "auto") {
    return absl::InvalidArgumentError(
        "--transport with --graph; allowed: with --servers; a graph's folder "
        "is "
        "sampled on this machine");
  }
  if (a.source.graph.empty() && a.source.worker.servers.empty()) {
    return absl::InvalidArgumentError(
        "--graph DIR, --servers or --worker-options is needed");
  }
  RETURN_IF_ERROR(ReadMode(t, a));
  ASSIGN_OR_RETURN(a.source.worker.buffer_size, BufferSize(t, a.nproc));
  a.source.worker.rpc_timeout = absl::Seconds(t.rpc_timeout);
  RemoteDistSamplingWorkerOptions worker = a.source.worker;
  if (!a.source.graph.empty()) worker.servers = "127.0.0.1:1";  // unused
  return worker.Validate();
}

// Batches hold the features that the model reads, and labels of nodes.
void CollectWhatIsRead(TrainArguments& a) {
  a.loader.collect = CollectedColumns::None();
  if (!a.train.ignores_features()) a.loader.collect.Add(CollectedColumn::kX);
  if (!a.link) a.loader.collect.Add(CollectedColumn::kY);
}

absl::Status ReadSparse(const TrainFlagTexts& t, TrainArguments& a) {
  if (t.sparse_options_given && !a.train.sparse.enabled) {
    return absl::InvalidArgumentError(
        "--sparse-lr or --sparse-optimizer without --sparse-embedding; "
        "allowed: with --sparse-embedding");
  }
  return absl::OkStatus();
}

absl::Status ReadNode(const TrainFlagTexts& t, TrainArguments& a) {
  RETURN_IF_ERROR(a.node.Validate());
  constexpr double kMost = 86400;
  if (!(t.replace_timeout >= 0 && t.replace_timeout <= kMost)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--replace-timeout is ", t.replace_timeout,
                     ", allowed are 0 to ", kMost, " seconds"));
  }
  if (t.replace_timeout > 0 && (a.node.nnodes < 2 || a.max_restarts < 1)) {
    return absl::InvalidArgumentError(
        "--replace-timeout without other machines or restarts; allowed: with "
        "--nnodes 2 or more and --max-restarts 1 or more");
  }
  a.replace_timeout = absl::Seconds(t.replace_timeout);
  if (!(t.grace_period >= 1 && t.grace_period <= kMost)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--grace-period is ", t.grace_period,
                     ", allowed are 1 to ", kMost, " seconds"));
  }
  a.grace_period = absl::Seconds(t.grace_period);
  return absl::OkStatus();
}

absl::Status ReadTexts(TrainFlagTexts& t, TrainArguments& a) {
  RETURN_IF_ERROR(ApplyLogFlags(t.log));
  a.progress = !t.no_progress && CurrentLogFormat() == LogFormat::kText;
  RETURN_IF_ERROR(ReadNode(t, a));
  // Of the last rank that this program starts; the others' ports are lower.
  if (!a.http.empty()) {
    RETURN_IF_ERROR(RankHttpAddress(a.http, a.nproc - 1).status());
  }
  RETURN_IF_ERROR(ReadSource(t, a));
  RETURN_IF_ERROR(ReadTrainSession(t, a));
  RETURN_IF_ERROR(ReadTask(t, a));
  RETURN_IF_ERROR(ReadSparse(t, a));
  CollectWhatIsRead(a);
  RETURN_IF_ERROR(ReadPrediction(t, a));
  RETURN_IF_ERROR(ReadEpochs(t, a));
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
  CLI::App app(
      "Trains a graph neural network on batches that Tributary's "
      "servers sample.",
      "tributary-train");
  DeclareTrainFlags(app, a, t);
  try {
    app.parse(argc, argv);
    t.epochs_given = app.count("--epochs") > 0;
    t.sparse_options_given =
        app.count("--sparse-lr") + app.count("--sparse-optimizer") > 0;
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
