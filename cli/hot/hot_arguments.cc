#include "cli/hot/hot_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/command/stage_progress.h"
#include "cli/sample/sample_flags.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "partition/format/hot_lists.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

double PercentSaved(double before, double after) {
  return before > 0 ? 100 * (1 - after / before) : 0;
}

void PrintTrainers(const TrainerForecasts& trainers) {
  absl::PrintF("%-15s %16s %14s %22s %8s\n", "--trainer-cache", "bytes held",
               "rows covered", "bytes of a batch sent", "pays");
  absl::PrintF("%-15s %16d %13.1f%% %22.0f %8s\n", "off", 0, 0.0,
               trainers.batch_bytes, "-");
  for (const TrainerForecast& trainer : trainers.shares) {
    absl::PrintF("%-15g %16.0f %13.1f%% %22.0f %8s\n", trainer.share,
                 trainer.held_bytes, 100 * trainer.covered, trainer.batch_bytes,
                 trainer.pays ? "yes" : "no");
  }
}

void PrintReport(const HotCacheReport& report) {
  PrintTrainers(report.trainers);
  if (report.partitions.empty()) return;
  for (const PartitionForecast& p : report.partitions) {
    absl::PrintF(
        "partition %d: %d rows, %d bytes; remote of a batch: %.1f rows, %.0f "
        "bytes; with the cache %.1f rows, %.0f bytes (-%.1f%%)\n",
        p.partition, p.cached_rows, p.cached_bytes, p.before.rows,
        p.before.bytes, p.after.rows, p.after.bytes,
        PercentSaved(p.before.bytes, p.after.bytes));
  }
  absl::PrintF("%-12s %14s %16s %26s %8s\n", "--hot-cache", "rows in all",
               "bytes in all", "remote bytes of a batch", "saved");
  absl::PrintF("%-12s %14d %16d %26.0f %7.1f%%\n", "none", 0, 0,
               report.before.bytes, 0.0);
  for (const SizeForecast& size : report.sizes) {
    absl::PrintF("%-12s %14d %16d %26.0f %7.1f%%%s\n", size.size.ToString(),
                 size.cached_rows, size.cached_bytes, size.remote_bytes,
                 PercentSaved(report.before.bytes, size.remote_bytes),
                 &size == &report.sizes.back() ? "  <- asked for" : "");
  }
}

// Returns the flags that determine the cache, without paths of this machine.
std::string MadeBy(const HotArguments& arguments, const SessionText& session) {
  const SampleArguments& a = arguments.sample;
  std::string inputs = session.Get("input_nodes");
  if (absl::StrContains(inputs, "@")) inputs = "@FILE";
  return absl::StrCat(
      "tributary cache ",
      arguments.size.empty()
          ? ""
          : absl::StrCat("--hot-cache ", arguments.size, " "),
      arguments.trainer_share > 0
          ? absl::StrCat("--trainer-cache ", arguments.trainer_share, " ")
          : "",
      "--kind ", session.Get("kind"), " --input-nodes ", inputs,
      " --num-neighbors ", session.Get("num_neighbors"), " --batch-size ",
      session.Get("batch_size"), " --shuffle ", arguments.order, " --epoch ",
      a.epoch, " --batches ", a.batches, " --random-seed ",
      session.Get("random_seed"));
}

}  // namespace

CLI::Option* DeclareHotSize(CLI::App& app, HotArguments& arguments) {
  return app
      .add_option("--hot-cache", arguments.size,
                  "Rows of each partition's cache: a share of the nodes of "
                  "each type that has features (0.2), or bytes (2GB)")
      ->type_name("SIZE");
}

void DeclareHotList(CLI::App& app, HotArguments& arguments) {
  app.add_option("--list", arguments.list,
                 "The name of the hot list, by which trainers hold rows")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--trainer-cache", arguments.trainer_share,
                 "The share of each node type's rows that trainers hold, which "
                 "servers then do not gather: their caches have the next rows")
      ->type_name("SHARE")
      ->capture_default_str();
}

void DeclareHotBatches(CLI::App& app, HotArguments& arguments,
                       std::vector<absl::string_view> except) {
  except.push_back("shuffle");
  DeclareSession(app, arguments.sample, except);
  app.add_option("--shuffle", arguments.order,
                 "Whose batches a server makes: global (any), or local (of the "
                 "inputs in its partition)")
      ->type_name("ORDER")
      ->capture_default_str();
  app.add_option("--buffer-size", arguments.sample.buffer_size,
                 "Memory for batches in flight: 256MB, 1.5GB")
      ->type_name("BYTES")
      ->capture_default_str();
  app.add_option("--rpc-timeout", arguments.sample.rpc_timeout,
                 "Longest wait for one batch in seconds")
      ->type_name("S")
      ->capture_default_str();
}

absl::StatusOr<HotCacheRequest> ReadHotArguments(
    const HotArguments& arguments) {
  HotCacheRequest request;
  if (!arguments.size.empty()) {
    ASSIGN_OR_RETURN(request.size, HotSize::Parse(arguments.size));
  }
  const absl::Status named = CheckHotListName(arguments.list);
  if (!named.ok()) return UsageError(absl::StrCat("--list: ", named.message()));
  if (arguments.list == kDegreeList) {
    return UsageError(
        "--list degree with batches to sample\nallowed: another name; degree "
        "is the list by out-degree, which nothing is sampled for");
  }
  request.list = arguments.list;
  request.trainer_share = arguments.trainer_share;
  if (!(request.trainer_share >= 0 && request.trainer_share <= 1)) {
    return UsageError(absl::StrCat("--trainer-cache ", request.trainer_share,
                                   "\nallowed: a share from 0 to 1"));
  }
  if (request.trainer_share > 0 && !request.size.has_value()) {
    return UsageError(
        "--trainer-cache without --hot-cache\nallowed: with it, to leave what "
        "trainers hold out of servers' caches");
  }
  ASSIGN_OR_RETURN(const size_t order, ParseChoice("--shuffle", arguments.order,
                                                   {"global", "local"}));
  request.order = order == 1 ? HotOrder::kLocal : HotOrder::kGlobal;
  ASSIGN_OR_RETURN(const SessionText session, SessionTextOf(arguments.sample));
  request.made_by = MadeBy(arguments, session);
  ASSIGN_OR_RETURN(request.sample, ParseSampleArguments(arguments.sample));
  RETURN_IF_ERROR(ReadListFiles(&request.sample.session));
  request.dry_run = arguments.dry_run;
  return request;
}

absl::Status RunHotCache(const HotCacheRequest& request,
                         const std::string& program) {
  SetLogLevel(LogLevel::kOff);  // errors are returned as the status
  std::optional<StageProgress> progress;
  progress.emplace(program, "opens the graph");
  const auto report = MakeHotCache(
      request,
      [&progress](std::string_view stage, int64_t done, int64_t total) {
        progress->Report(stage, done, total);
      });
  progress.reset();  // ends its line on a terminal
  RETURN_IF_ERROR(report.status());
  PrintReport(*report);
  if (request.dry_run) return absl::OkStatus();
  if (request.size.has_value()) {
    absl::PrintF("wrote %s/hot for %d partitions\n", request.sample.graph,
                 report->partitions.size());
  }
  absl::PrintF("wrote %s/hot-lists/%s\n", request.sample.graph, request.list);
  return absl::OkStatus();
}

}  // namespace tributary
