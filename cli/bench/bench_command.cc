#include "cli/bench/bench_command.h"

#include <fcntl.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmarks/lib/bench/bench_run.h"
#include "benchmarks/lib/bench/channel_bench.h"
#include "benchmarks/lib/bench/stream_bench.h"
#include "benchmarks/lib/bench/tensor_bench.h"
#include "cli/command/arguments.h"
#include "cli/sample/sample_flags.h"
#include "cli/sample/sample_request.h"
#include "cli/sample/sample_source.h"
#include "common/identity/tls_flags.h"
#include "common/io/unique_fd.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The most batches of one stream that a server makes at once.
constexpr int kMaxAhead = 32;
// The default --seconds of benchmarks that need no graph folder.
constexpr absl::Duration kDefaultTime = absl::Seconds(3);

constexpr char kDescription[] =
    R"(Measures, in one run, the rate of batches and a limit of the machine. Their
ratio compares machines. The limit of `sample` and the second one of `gather` are
random reads of cache lines in as much memory as the batches read of the graph:
rows of edges, ids and, for `gather`, features; at most a quarter of the memory
that the process may use.)";

constexpr char kFooter[] =
    R"(Without --graph, `sample` and `gather` generate an R-MAT graph. `stream`
measures the stream alone or, with --servers, batches from a fleet.
Examples:
  Sampling, and gathering features, in one process:
    tributary bench sample
    tributary bench gather --graph g --num-neighbors 15,10,5 --threads 8
  The stream of batches alone, without sampling, as JSON:
    tributary bench stream --json
  How fast batches reach the trainer by shared memory, sockets and gRPC:
    tributary bench channel
  Batches from a fleet (`tributary serve`), as JSON:
    tributary bench stream --servers 10.0.0.1:50051,10.0.0.2:50051 --json \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024
  A trainer of 20 steps a second, to see how many servers keep it busy:
    tributary bench stream --servers file:servers.txt --input-nodes train \
        --batch-size 1024 --seconds 120 --step-time 0.05
  Rows of tensors on a fleet, for embeddings:
    tributary bench tensors --servers 10.0.0.1:50051,10.0.0.2:50051)";

class BenchCommand final : public Command {
 public:
  BenchCommand() {
    arguments_.session.SetDefault("input_nodes", "train");
    arguments_.session.SetDefault("num_neighbors", "15,10,5");
    arguments_.session.SetDefault("batch_size", "1024");
  }
  CLI::App* Declare(CLI::App& root) override;
  absl::Status Run(SignalWatcher&) override;

 private:
  CLI::App* DeclareOne(CLI::App& bench, BenchKind kind, const char* name,
                       const char* about);
  void DeclareGenerated(CLI::App& app);
  void DeclareStream(CLI::App& bench);
  void DeclareFarEnd(CLI::App& bench);
  void DeclareChannel(CLI::App& bench);
  void DeclareFillingEnd(CLI::App& bench);
  void DeclareTensors(CLI::App& bench);
  absl::Status RunOne() const;
  absl::Status RunStream() const;
  absl::Status RunFarEnd() const;
  absl::Status RunChannel() const;
  absl::Status RunFillingEnd() const;
  absl::Status RunTensors() const;
  bool generated() const {
    return kind_ != BenchKind::kStream && arguments_.graph.empty();
  }
  absl::StatusOr<BenchOptions> ReadOptions() const;
  absl::Status ReadRmat(RmatOptions* rmat) const;
  absl::StatusOr<absl::Duration> ReadSeconds() const;
  absl::StatusOr<int> ReadStreams() const;

  BenchKind kind_ = BenchKind::kSample;
  SampleArguments arguments_;
  std::string scale_ = "16", edges_ = "1048576", feat_dim_ = "100";
  CLI::Option* servers_ = nullptr;  // --servers of `stream`
  std::string seconds_, step_time_ = "0", streams_ = "1";
  std::string rows_ = "1000000", dim_ = "64", rows_per_call_ = "10000",
              callers_ = "1";
  bool json_ = false;
  absl::Status (BenchCommand::*run_)() const = nullptr;  // null: by kind_
  std::string way_;                                      // WAY of far-end
  std::string door_;                                     // DOOR of filling-end
};

CLI::App* BenchCommand::Declare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", kDescription);
  app->require_subcommand(1);
  app->footer(kFooter);
  DeclareGenerated(*DeclareOne(
      *app, BenchKind::kSample, "sample",
      "Samples in this process; compared with random reads of cache lines "
      "in as much memory as it reads, at most a quarter of the machine's"));
  DeclareGenerated(
      *DeclareOne(*app, BenchKind::kGather, "gather",
                  "Samples with features in this process; compared with memcpy "
                  "and random reads of cache lines in as much memory as it "
                  "reads, at most a quarter of the machine's"));
  DeclareStream(*app);
  DeclareFarEnd(*app);
  DeclareChannel(*app);
  DeclareFillingEnd(*app);
  DeclareTensors(*app);
  return app;
}

CLI::App* BenchCommand::DeclareOne(CLI::App& bench, BenchKind kind,
                                   const char* name, const char* about) {
  CLI::App* app = bench.add_subcommand(name, about);
  app->callback([this, kind] { kind_ = kind; });
  DeclareSession(*app, arguments_);
  DeclareSampleLimits(*app, arguments_);
  return app;
}

void BenchCommand::DeclareGenerated(CLI::App& app) {
  app.add_option("--graph", arguments_.graph,
                 "A graph folder; without it a graph is generated")
      ->type_name("DIR");
  DeclareSampleMode(app, arguments_);
  app.add_option("--scale", scale_, "2^SCALE nodes in the generated graph")
      ->capture_default_str();
  app.add_option("--edges", edges_, "Edges of the generated graph")
      ->capture_default_str();
  app.add_option("--feat-dim", feat_dim_,
                 "Features per node of the generated graph")
      ->capture_default_str();
  app.add_option("--seconds", seconds_,
                 "Repeat epochs for this time; default: --batches, once; for a "
                 "generated graph: 3");
  app.add_flag("--json", json_, "One JSON object on a line");
}

// Flags that say how to sample require --servers: without servers nothing is
// sampled.
void BenchCommand::DeclareStream(CLI::App& bench) {
  CLI::App* app = DeclareOne(
      bench, BenchKind::kStream, "stream",
      "Receives batches over TCP from a process that it starts; compared with "
      "raw TCP. With --servers, receives batches from a fleet");
  const auto sampling = app->get_options(
      [](const CLI::Option* o) { return !o->check_lname("help"); });
  servers_ = app->add_option("--servers", arguments_.servers,
                             "HOST:PORT,... or file:PATH or dns:///NAME:PORT: "
                             "the fleet that makes the batches")
                 ->type_name("LIST");
  for (CLI::Option* option : sampling) option->needs(servers_);
  AddTlsFlags(*app, arguments_.tls);
  app->add_option("--step-time", step_time_,
                  "With --servers: hold each batch for so many seconds, as the "
                  "step of a trainer does")
      ->capture_default_str()
      ->needs(servers_);
  app->add_option("--streams", streams_,
                  absl::StrCat("Without --servers: 1 to ", kMaxBenchStreams,
                               ", each on a connection of its own"))
      ->capture_default_str()
      ->excludes(servers_);
  app->add_option(
      "--seconds", seconds_,
      "Repeat rounds, of 1 GiB of batches and 1 GiB of raw TCP, for this time; "
      "default: 3. With --servers, repeat epochs; default: --batches, once");
  app->add_flag("--json", json_, "One JSON object on a line");
}

// The sender process of `stream`; not for users.
void BenchCommand::DeclareFarEnd(CLI::App& bench) {
  CLI::App* app = bench.add_subcommand("far-end", "The sender of `stream`");
  app->group("");  // not listed
  app->callback([this] { run_ = &BenchCommand::RunFarEnd; });
  app->add_option("way", way_)->required();
  app->add_option("streams", streams_)->required();
}

void BenchCommand::DeclareChannel(CLI::App& bench) {
  CLI::App* app = bench.add_subcommand(
      "channel",
      "Receives batches from processes that it starts, by shared memory, a "
      "unix socket and gRPC; compared with memcpy");
  app->callback([this] { run_ = &BenchCommand::RunChannel; });
  app->add_option("--seconds", seconds_,
                  "Repeat rounds for this time; default: 3");
  app->add_flag("--json", json_, "One JSON object on a line");
}

// The sender processes of `channel`; not for users.
void BenchCommand::DeclareFillingEnd(CLI::App& bench) {
  CLI::App* app =
      bench.add_subcommand("filling-end", "The sender of `channel`");
  app->group("");  // not listed
  app->callback([this] { run_ = &BenchCommand::RunFillingEnd; });
  app->add_option("door", door_);
}

void BenchCommand::DeclareTensors(CLI::App& bench) {
  CLI::App* app = bench.add_subcommand(
      "tensors",
      "Reads and writes random rows of a tensor on servers, which it creates "
      "and drops; compared with the stream of batches");
  app->callback([this] { run_ = &BenchCommand::RunTensors; });
  app->add_option("--servers", arguments_.servers,
                  "HOST:PORT,... or file:PATH or dns:///NAME:PORT: the fleet "
                  "that holds the rows")
      ->type_name("LIST")
      ->required();
  AddTlsFlags(*app, arguments_.tls);
  app->add_option("--graph-name", arguments_.graph_name,
                  "The graph that the tensor belongs to; default: the only "
                  "one");
  app->add_option("--worker-key", arguments_.worker_key,
                  "The job's name on the servers")
      ->capture_default_str();
  app->add_option("--rows", rows_, "Rows of the tensor")->capture_default_str();
  app->add_option("--dim", dim_, "float32 values in a row")
      ->capture_default_str();
  app->add_option("--rows-per-call", rows_per_call_, "Rows of each call")
      ->capture_default_str();
  app->add_option("--callers", callers_,
                  absl::StrCat("Calls at once, 1 to ", kMaxBenchCallers))
      ->capture_default_str();
  app->add_option("--seconds", seconds_, "Measure for this time; default: 6");
  app->add_flag("--json", json_, "One JSON object on a line");
}

absl::Status BenchCommand::ReadRmat(RmatOptions* rmat) const {
  ASSIGN_OR_RETURN(const uint64_t scale, ParseWhole("--scale", scale_, 1, 32));
  ASSIGN_OR_RETURN(const uint64_t edges,
                   ParseWhole("--edges", edges_, 1, uint64_t{1} << 40));
  ASSIGN_OR_RETURN(const uint64_t feat_dim,
                   ParseWhole("--feat-dim", feat_dim_, 0, 65536));
  rmat->scale = static_cast<int>(scale);
  rmat->edges = static_cast<int64_t>(edges);
  rmat->feat_dim = static_cast<int64_t>(feat_dim);
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> BenchCommand::ReadSeconds() const {
  return ParseSeconds("--seconds", seconds_, absl::Milliseconds(1),
                      absl::Hours(1));
}

absl::StatusOr<int> BenchCommand::ReadStreams() const {
  ASSIGN_OR_RETURN(const uint64_t streams,
                   ParseWhole("--streams", streams_, 1, kMaxBenchStreams));
  return static_cast<int>(streams);
}

absl::StatusOr<BenchOptions> BenchCommand::ReadOptions() const {
  BenchOptions options;
  options.kind = kind_;
  RETURN_IF_ERROR(ReadRmat(&options.rmat));
  if (generated()) options.time = kDefaultTime;
  if (!seconds_.empty()) {
    ASSIGN_OR_RETURN(options.time, ReadSeconds());
  }
  ASSIGN_OR_RETURN(options.step_time,
                   ParseSeconds("--step-time", step_time_, absl::ZeroDuration(),
                                absl::Minutes(1)));
  SampleArguments arguments = arguments_;
  if (generated()) arguments.graph = "generated";  // the parser needs a name
  ASSIGN_OR_RETURN(SampleRequest request, ParseSampleArguments(arguments));
  RETURN_IF_ERROR(ReadListFiles(&request.session));
  request.graph = arguments_.graph;
  // Enough batches ahead that no thread of a server waits for this one.
  auto& worker = request.worker;
  worker.prefetch_size = std::clamp(2 * request.threads, 4, kMaxAhead);
  worker.worker_concurrency = worker.prefetch_size;
  options.source = SourceOf(request, "tributary bench");
  options.session = std::move(request.session.options);
  options.epoch = request.epoch;
  options.threads = request.threads;
  options.from = request.batches.from;
  options.to = request.batches.to;
  return options;
}

absl::Status BenchCommand::RunOne() const {
  ASSIGN_OR_RETURN(const BenchOptions options, ReadOptions());
  ASSIGN_OR_RETURN(const BenchReport report, RunBench(options));
  std::fputs((json_ ? ToJson(report) : ToText(report)).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status BenchCommand::RunStream() const {
  StreamBenchOptions options;
  ASSIGN_OR_RETURN(options.streams, ReadStreams());
  if (!seconds_.empty()) {
    ASSIGN_OR_RETURN(options.time, ReadSeconds());
  }
  ASSIGN_OR_RETURN(const StreamBenchReport report, RunStreamBench(options));
  std::fputs((json_ ? ToJson(report) : ToText(report)).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status BenchCommand::RunFarEnd() const {
  RETURN_IF_ERROR(ParseChoice("WAY", way_, {"raw", "batches"}).status());
  ASSIGN_OR_RETURN(const int streams, ReadStreams());
  return RunStreamBenchFarEnd(way_, streams);
}

absl::Status BenchCommand::RunChannel() const {
  absl::Duration time = kDefaultTime;
  if (!seconds_.empty()) {
    ASSIGN_OR_RETURN(time, ReadSeconds());
  }
  ASSIGN_OR_RETURN(const ChannelBenchReport report, RunChannelBench(time));
  std::fputs((json_ ? ToJson(report) : ToText(report)).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status BenchCommand::RunTensors() const {
  TensorBenchOptions options;
  ASSIGN_OR_RETURN(const uint64_t rows,
                   ParseWhole("--rows", rows_, 1, uint64_t{1} << 40));
  ASSIGN_OR_RETURN(const uint64_t dim, ParseWhole("--dim", dim_, 1, 65536));
  ASSIGN_OR_RETURN(
      const uint64_t rows_per_call,
      ParseWhole("--rows-per-call", rows_per_call_, 1, 10'000'000));
  if (!seconds_.empty()) {
    ASSIGN_OR_RETURN(options.time, ReadSeconds());
  }
  ASSIGN_OR_RETURN(const uint64_t callers,
                   ParseWhole("--callers", callers_, 1, kMaxBenchCallers));
  options.callers = static_cast<int>(callers);
  options.rows = static_cast<int64_t>(rows);
  options.dim = static_cast<int64_t>(dim);
  options.rows_per_call = static_cast<int64_t>(rows_per_call);
  options.worker.servers = arguments_.servers;
  options.worker.graph_name = arguments_.graph_name;
  options.worker.worker_key = arguments_.worker_key;
  const absl::Status tls = CheckTlsFiles(arguments_.tls);
  if (!tls.ok()) return UsageError(tls.message());
  options.worker.tls = arguments_.tls;
  ASSIGN_OR_RETURN(const TensorBenchReport report, RunTensorBench(options));
  std::fputs((json_ ? ToJson(report) : ToText(report)).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status BenchCommand::RunFillingEnd() const {
  if (door_.empty()) return ::tributary::RunFillingEnd(std::nullopt);
  ASSIGN_OR_RETURN(const uint64_t fd, ParseWhole("DOOR", door_, 3, 65535));
  const auto door = static_cast<int>(fd);
  if (fcntl(door, F_SETFD, FD_CLOEXEC) != 0) {
    return UsageError(
        absl::StrCat("DOOR ", door_, " is not open; the parent passes it on"));
  }
  return ::tributary::RunFillingEnd(UniqueFd(door));
}

absl::Status BenchCommand::Run(SignalWatcher&) {
  // Errors are returned as the status; what a cache does is not one.
  SetLogLevel(arguments_.trainer_cache == "off"    ? LogLevel::kOff
              : arguments_.trainer_cache == "auto" ? LogLevel::kInfo
                                                   : LogLevel::kWarning);
  if (run_ != nullptr) return (this->*run_)();
  const bool fleet = servers_->count() > 0;  // also for an empty list
  return kind_ == BenchKind::kStream && !fleet ? RunStream() : RunOne();
}

}  // namespace

std::unique_ptr<Command> MakeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tributary
