// Measures a predictor without parameters on the links that a command line of
// `tributary-train --task link` names. See README.md beside this file.
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/observe/log.h"
#include "common/runtime/clock.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "examples/baselines/edge_bank.h"
#include "examples/baselines/relation_frequency.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/command/train_arguments.h"
#include "trainer_client/torch/command/train_output.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rank_environment.h"
#include "trainer_client/torch/real_batch_source.h"
#include "trainer_client/torch/sessions/link_sessions.h"
#include "trainer_client/torch/sessions/link_times.h"
#include "trainer_client/torch/tasks/evaluation.h"
#include "trainer_client/torch/tasks/metric.h"
#include "trainer_client/torch/train/link_ranking.h"

namespace tributary {
namespace {

using Loader = std::unique_ptr<DistLoader>;

constexpr char kProgram[] = "link_baseline";
constexpr int kExitUsage = 2;

// The command line: this program's flags, and those that tributary-train has.
struct BaselineFlags {
  std::string baseline;
  std::string window;  // empty: none
  std::vector<const char*> train_flags;
};

BaselineFlags SplitFlags(int argc, const char* const* argv) {
  BaselineFlags flags;
  for (int i = 0; i < argc; ++i) {
    const absl::string_view word = argv[i];
    std::string* value = nullptr;
    for (const auto& [name, text] :
         {std::pair("--baseline", &flags.baseline),
          std::pair("--edgebank-window", &flags.window)}) {
      if (word == name || absl::StartsWith(word, absl::StrCat(name, "="))) {
        value = text;
      }
    }
    const size_t equals = word.find('=');
    if (value == nullptr) {
      flags.train_flags.push_back(argv[i]);
    } else if (equals != absl::string_view::npos) {
      *value = std::string(word.substr(equals + 1));
    } else if (i + 1 < argc) {
      *value = argv[++i];
    }
  }
  return flags;
}

// Refuses what needs a model, and ranks: the figures do not depend on them.
absl::Status CheckOneProcess(const TrainArguments& a) {
  const CheckpointOptions& checkpoints = a.train.checkpoints;
  if (!a.link) {
    return absl::InvalidArgumentError(
        "--baseline without --task link; allowed: with --task link");
  }
  if (a.nproc > 1 || a.node.nnodes > 1) {
    return absl::InvalidArgumentError(
        "--baseline with --nproc or --nnodes; allowed: without, for the "
        "figures do not depend on the number of ranks");
  }
  if (checkpoints.folder.empty() && checkpoints.resume.empty() &&
      a.train.save_model.empty() && a.train.load_model.empty() && !a.predict &&
      !a.dry_run && a.tensorboard.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--baseline with --checkpoint-dir, --resume, --save-model, --load-model, "
      "--predict, --tensorboard or --dry-run; allowed: without, for it trains "
      "nothing");
}

// Sets the metric to the one that ranks entities, if none is given.
absl::Status CheckRelationFrequency(const BaselineFlags& flags,
                                    TrainArguments* a) {
  if (!a->train.metric) a->train.metric = Metric::kFilteredMrr;
  if (!RanksAllEntities(*a->train.metric)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--baseline relation-frequency with --metric ",
        NameOf(*a->train.metric), "; allowed: with --metric filtered-mrr"));
  }
  if (flags.window.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--edgebank-window with --baseline relation-frequency; allowed: with "
      "--baseline edgebank");
}

absl::StatusOr<EdgeBankOptions> ReadEdgeBank(const BaselineFlags& flags,
                                             const TrainArguments& a) {
  if (a.loader.draws.time != TimeMode::kEdge || a.link->exclude) {
    return absl::InvalidArgumentError(
        "--baseline edgebank; allowed: with --time edge and without --exclude");
  }
  EdgeBankOptions options;
  if (flags.window.empty()) return options;
  options.window = ParseNumber<int64_t>(flags.window);
  if (options.window && *options.window > 0) return options;
  return absl::InvalidArgumentError(
      absl::StrCat("--edgebank-window is \"", flags.window,
                   "\", allowed are whole numbers above 0"));
}

// The links of the command line, and the graph that decides on its defaults.
struct LinksOfGraph {
  GraphSchema schema;
  LinkSampling sampling;
};

absl::StatusOr<LinksOfGraph> ReadLinks(const TrainArguments& a,
                                       BatchSource& source) {
  ASSIGN_OR_RETURN(const Loader probe,
                   source.Open(LinkSessions::Probe(*a.link, a.loader)));
  LinksOfGraph links{.schema = probe->schema(), .sampling = *a.link};
  ASSIGN_OR_RETURN(links.sampling.types,
                   ExpandPatterns(links.schema, a.link->types));
  RETURN_IF_ERROR(
      ReadLinkTimes(links.schema, a.loader.draws.time, &links.sampling.types));
  return links;
}

// Returns the options of the loaders that evaluate a model, with the one hop of
// all earlier edges that EdgeBank reads.
NeighborLoaderOptions EdgeBankLoaderOptions(const TrainArguments& a) {
  NeighborLoaderOptions options = a.loader;
  options.shuffle = ShuffleMode::kNone;
  if (a.eval_batch_size > 0) options.batch_size = a.eval_batch_size;
  options.draws.strict = true;
  options.num_neighbors = {-1};
  options.replace = false;
  options.collect = CollectedColumns::None();
  return options;
}

EdgeBank MakeEdgeBank(EdgeBankOptions options, const LinksOfGraph& links) {
  EdgeTimes times;
  for (const LinkSplits& type : links.sampling.types) {
    times[type.edge_type.empty() ? links.schema.edge_types.at(0).name()
                                 : type.edge_type] = type.edge_time;
  }
  return EdgeBank(options, HasReverseIds(links.schema), std::move(times));
}

// Returns the metric over the links of epoch 0, whose negatives are those of a
// model's evaluation.
absl::StatusOr<double> MeasureSplit(const EdgeBank& edge_bank, Metric metric,
                                    std::string_view phase, DistLoader& loader,
                                    ProcessGroup& group,
                                    TrainObserver& observer) {
  RETURN_IF_ERROR(loader.StartEpoch(0));
  PredictionRows rows;
  for (uint64_t done = 0;;) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> lease, loader.Next());
    if (!lease) break;
    ASSIGN_OR_RETURN(const HeteroBatch batch,
                     ToTypedBatch(lease->view(), loader.schema()));
    RETURN_IF_ERROR(edge_bank.Predict(batch, &rows));
    observer.OnRound(phase, 0, ++done, loader.num_batches());
  }
  return MeasureLinksOverRanks(metric, rows, {}, group);
}

absl::StatusOr<TrainResult> MeasureEdgeBank(EdgeBankOptions edge_bank_options,
                                            const TrainArguments& a,
                                            BatchSource& source,
                                            ProcessGroup& group,
                                            TrainObserver& observer) {
  ASSIGN_OR_RETURN(const LinksOfGraph links, ReadLinks(a, source));
  const NeighborLoaderOptions options = EdgeBankLoaderOptions(a);
  const LinkSessions sessions(
      links.sampling,
      DefaultExclude(links.schema, links.sampling.types, options.draws));
  const EdgeBank edge_bank = MakeEdgeBank(edge_bank_options, links);
  const Metric metric = a.train.metric_of_task();
  TrainResult result{.metric = NameOf(metric)};
  const auto measure = [&](std::string LinkSplits::*split,
                           std::string_view phase,
                           std::optional<double>* value) -> absl::Status {
    const std::optional<EvaluationSessions> session =
        sessions.Evaluation(split, metric, links.schema, options, options);
    if (!session) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Loader loader, source.Open(session->links));
    ASSIGN_OR_RETURN(*value, MeasureSplit(edge_bank, metric, phase, *loader,
                                          group, observer));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(measure(&LinkSplits::valid, "valid", &result.best_valid));
  RETURN_IF_ERROR(measure(&LinkSplits::test, "test", &result.test));
  if (result.best_valid || result.test) return result;
  return absl::InvalidArgumentError(
      "--baseline edgebank without a split to measure it on; allowed: --input "
      "TRAIN,VALID,TEST");
}

// Ranks each link of valid and test among all entities, as a model's scores do.
absl::StatusOr<TrainResult> RankByFrequency(const RankingLoaders& loaders,
                                            ProcessGroup& group,
                                            TrainObserver& observer) {
  using Split = LinkRanking::Split;
  const auto progress = [&](std::string_view phase) {
    return [&observer, phase](uint64_t done, uint64_t total) {
      observer.OnRound(phase, 0, done, total);
      return absl::OkStatus();
    };
  };
  ASSIGN_OR_RETURN(const std::unique_ptr<LinkRanking> ranking,
                   LinkRanking::Read(loaders, progress("links")));
  RelationFrequency scorer(ranking->LinksOf(Split::kTrain));
  TrainResult result{.metric = NameOf(Metric::kFilteredMrr)};
  if (ranking->has(Split::kValid)) {
    ASSIGN_OR_RETURN(
        const RankSummary valid,
        ranking->Rank(Split::kValid, scorer, group, progress("valid")));
    result.best_valid = valid.mrr;
  }
  if (ranking->has(Split::kTest)) {
    ASSIGN_OR_RETURN(
        const RankSummary test,
        ranking->Rank(Split::kTest, scorer, group, progress("test")));
    SetTestRanks(test, &result);
  }
  return result;
}

absl::StatusOr<TrainResult> MeasureRelationFrequency(const TrainArguments& a,
                                                     BatchSource& source,
                                                     ProcessGroup& group,
                                                     TrainObserver& observer) {
  ASSIGN_OR_RETURN(const LinksOfGraph links, ReadLinks(a, source));
  const LinkSessions sessions(
      links.sampling, links.sampling.exclude.value_or(DefaultExclude(
                          links.schema, links.sampling.types, a.loader.draws)));
  NeighborLoaderOptions options = a.loader;
  options.shuffle = ShuffleMode::kNone;
  const auto open =
      [&](std::string LinkSplits::*split) -> absl::StatusOr<Loader> {
    const std::optional<SessionOptions> session =
        sessions.Links(split, options);
    if (!session) return nullptr;
    return source.Open(*session);
  };
  ASSIGN_OR_RETURN(const Loader train, open(&LinkSplits::train));
  ASSIGN_OR_RETURN(const Loader valid, open(&LinkSplits::valid));
  ASSIGN_OR_RETURN(const Loader test, open(&LinkSplits::test));
  const RankingLoaders loaders{
      .train = train.get(), .valid = valid.get(), .test = test.get()};
  return RankByFrequency(loaders, group, observer);
}

// Measures, and prints the result as tributary-train does.
absl::Status Measure(const TrainArguments& a,
                     const std::optional<EdgeBankOptions>& edge_bank,
                     const std::string& command) {
  std::unique_ptr<TrainLog> log;
  if (!a.log.empty()) {
    ASSIGN_OR_RETURN(log, TrainLog::Create(a.log));
    log->Start(command, 1);
  }
  ASSIGN_OR_RETURN(
      const std::unique_ptr<ProcessGroup> group,
      ProcessGroup::Connect(RankEnvironment(), a.source.worker.rpc_timeout));
  ASSIGN_OR_RETURN(const std::unique_ptr<BatchSource> source,
                   OpenRealBatchSource(a.source));
  TrainOutput output(0, a.progress, log.get());
  const absl::Time start = SteadyClock().Now();
  absl::StatusOr<TrainResult> result =
      edge_bank ? MeasureEdgeBank(*edge_bank, a, *source, *group, output)
                : MeasureRelationFrequency(a, *source, *group, output);
  output.ClearProgress();
  RETURN_IF_ERROR(result.status());
  result->seconds = absl::ToDoubleSeconds(SteadyClock().Now() - start);
  RETURN_IF_ERROR(source->Shutdown());
  return output.Finish(*result);
}

// Checks the flags of this program; returns none for relation-frequency.
absl::StatusOr<std::optional<EdgeBankOptions>> ReadBaseline(
    const BaselineFlags& flags, TrainArguments* a) {
  RETURN_IF_ERROR(CheckOneProcess(*a));
  if (flags.baseline == "relation-frequency") {
    RETURN_IF_ERROR(CheckRelationFrequency(flags, a));
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(const EdgeBankOptions edge_bank, ReadEdgeBank(flags, *a));
  return edge_bank;
}

int PrintError(const absl::Status& status, int code) {
  std::fputs(TerminalError(kProgram, status.ToString()).c_str(), stderr);
  return code;
}

int Run(int argc, const char* const* argv) {
  const BaselineFlags flags = SplitFlags(argc, argv);
  if (flags.baseline != "edgebank" && flags.baseline != "relation-frequency") {
    return PrintError(
        absl::InvalidArgumentError(absl::StrCat(
            "--baseline is \"", flags.baseline,
            "\", allowed are edgebank and relation-frequency, beside the flags "
            "of tributary-train --task link")),
        kExitUsage);
  }
  ParsedTrainArguments parsed = ParseTrainArguments(
      static_cast<int>(flags.train_flags.size()), flags.train_flags.data());
  if (!parsed.arguments) return parsed.exit_code;
  const auto edge_bank = ReadBaseline(flags, &*parsed.arguments);
  if (!edge_bank.ok()) return PrintError(edge_bank.status(), kExitUsage);
  const absl::Status status =
      Measure(*parsed.arguments, *edge_bank,
              absl::StrJoin(std::vector<std::string>(argv, argv + argc), " "));
  return status.ok() ? 0 : PrintError(status, 1);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  tributary::SetLogLevel(tributary::LogLevel::kWarning);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  return tributary::Run(argc, argv);
}
