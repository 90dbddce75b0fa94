#include "cli/hot/cache_command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/arguments.h"
#include "cli/command/stage_progress.h"
#include "cli/hot/make_hot_cache.h"
#include "cli/sample/sample_options.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kDescription[] =
    R"(Makes a graph's cache of hot rows, by sampling beforehand: each partition
gets the rows of other partitions that batches read most, and its server then
need not ask for them. Batches stay the same bytes. The cache is in the folder
hot/ of the graph; a new one takes its place, and `rm -r` removes it.

Samples as `tributary sample` does, with the same flags: --batches of --epoch
choose the rows, those of the next epoch predict what is saved. Prints, for each
partition and for other sizes, the bytes of rows that a batch asks of peers.)";

constexpr char kFooter[] = R"(Examples:
  A fifth of the nodes, by the batches of an epoch, as GLT's cache_ratio:
    tributary cache --graph products --hot-cache 0.2 --input-nodes train \
        --num-neighbors 15,10,5 --batch-size 1024
  At most 2 GB for each partition, by 500 batches:
    tributary cache --graph papers --hot-cache 2GB --input-nodes train \
        --num-neighbors 15,10 --batch-size 1024 --batches 0:500
  For servers that make batches of their own partition's inputs alone:
    tributary cache --graph products --hot-cache 0.2 --shuffle local \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024
  What other sizes would save; writes nothing:
    tributary cache --graph products --hot-cache 0.1 --dry-run \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024)";

double Saved(double before, double after) {
  return before > 0 ? 100 * (1 - after / before) : 0;
}

void PrintReport(const HotCacheReport& report) {
  for (const PartitionForecast& p : report.partitions) {
    absl::PrintF(
        "partition %d: %d rows, %d bytes; remote of a batch: %.1f rows, %.0f "
        "bytes; with the cache %.1f rows, %.0f bytes (-%.1f%%)\n",
        p.partition, p.cached_rows, p.cached_bytes, p.before.rows,
        p.before.bytes, p.after.rows, p.after.bytes,
        Saved(p.before.bytes, p.after.bytes));
  }
  absl::PrintF("%-12s %14s %16s %26s %8s\n", "--hot-cache", "rows in all",
               "bytes in all", "remote bytes of a batch", "saved");
  absl::PrintF("%-12s %14d %16d %26.0f %7.1f%%\n", "none", 0, 0,
               report.before.bytes, 0.0);
  for (const SizeForecast& size : report.sizes) {
    absl::PrintF("%-12s %14d %16d %26.0f %7.1f%%%s\n", size.size.ToString(),
                 size.cached_rows, size.cached_bytes, size.remote_bytes,
                 Saved(report.before.bytes, size.remote_bytes),
                 &size == &report.sizes.back() ? "  <- asked for" : "");
  }
}

class CacheCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override;

  absl::Status Run(SignalWatcher&) override {
    HotCacheRequest request;
    ASSIGN_OR_RETURN(request.size, HotSize::Parse(size_));
    ASSIGN_OR_RETURN(
        const size_t order,
        ParseChoice("--shuffle", arguments_.shuffle, {"global", "local"}));
    request.order = order == 1 ? HotOrder::kLocal : HotOrder::kGlobal;
    request.made_by = MadeBy();
    arguments_.shuffle = "global";  // a partition's inputs are set later
    ASSIGN_OR_RETURN(request.sample, ParseSampleArguments(arguments_));
    RETURN_IF_ERROR(ReadListFiles(&request.sample));
    request.dry_run = dry_run_;
    SetLogLevel(LogLevel::kOff);  // errors are returned as the status
    std::optional<StageProgress> progress;
    progress.emplace("tributary cache", "opens the graph");
    const auto report = MakeHotCache(
        request,
        [&progress](std::string_view stage, int64_t done, int64_t total) {
          progress->Report(stage, done, total);
        });
    progress.reset();  // ends its line on a terminal
    RETURN_IF_ERROR(report.status());
    PrintReport(*report);
    if (!dry_run_) {
      absl::PrintF("wrote %s/hot for %d partitions\n", arguments_.graph,
                   report->partitions.size());
    }
    return absl::OkStatus();
  }

 private:
  // Returns the flags that determine the cache, without paths of this machine.
  std::string MadeBy() const {
    const SampleArguments& a = arguments_;
    const std::string inputs =
        absl::StrContains(a.input_nodes, "@") ? "@FILE" : a.input_nodes;
    return absl::StrCat(
        "tributary cache --hot-cache ", size_, " --kind ", a.kind,
        " --input-nodes ", inputs, " --num-neighbors ", a.num_neighbors,
        " --batch-size ", a.batch_size, " --shuffle ", a.shuffle, " --epoch ",
        a.epoch, " --batches ", a.batches, " --random-seed ", a.random_seed);
  }

  SampleArguments arguments_;
  std::string size_;
  bool dry_run_ = false;
};

CLI::App* CacheCommand::Declare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("cache", kDescription);
  app->footer(kFooter);
  app->add_option("--graph", arguments_.graph, "The graph folder")
      ->required()
      ->type_name("DIR");
  app->add_option("--hot-cache", size_,
                  "Rows of each partition's cache: a share of the nodes of "
                  "each type that has features (0.2), or bytes (2GB)")
      ->required()
      ->type_name("SIZE");
  app->add_flag("--dry-run", dry_run_, "Predict, and write nothing");
  DeclareSampleDraws(*app, arguments_);
  app->get_option("--shuffle")
      ->description(
          "Whose batches a server makes: global (any), or local (of the inputs "
          "in its partition)");
  DeclareSampleWalk(*app, arguments_);
  DeclareSamplePpr(*app, arguments_);
  DeclareSampleLayerwise(*app, arguments_);
  DeclareSampleLink(*app, arguments_);
  app->add_option("--threads", arguments_.threads, "Threads, 1 to 64")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--buffer-size", arguments_.buffer_size,
                  "Memory for batches in flight: 256MB, 1.5GB")
      ->type_name("BYTES")
      ->capture_default_str();
  app->add_option("--rpc-timeout", arguments_.rpc_timeout,
                  "Longest wait for one batch in seconds")
      ->type_name("S")
      ->capture_default_str();
  return app;
}

}  // namespace

std::unique_ptr<Command> MakeCacheCommand() {
  return std::make_unique<CacheCommand>();
}

}  // namespace tributary
