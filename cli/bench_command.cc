#include "cli/bench_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/arguments.h"
#include "cli/bench_run.h"
#include "cli/input_file.h"
#include "cli/sample_options.h"
#include "cli/sample_request.h"
#include "common/log.h"
#include "common/status.h"

namespace tributary {
namespace {

// A server makes at most so many batches of one stream at once.
constexpr int kMaxAhead = 32;
constexpr absl::Duration kMadeUpTime = absl::Seconds(3);

constexpr char kDescription[] =
    R"(Measures how fast batches come, and what the machine can do at best, in
one run: machines compare by the ratio of the two.)";

constexpr char kFooter[] = R"(Without --graph, on a graph made up by R-MAT.
Examples:
  What this machine samples, and gathers, in one process:
    tributary bench sample
    tributary bench gather --graph g --num-neighbors 15,10,5 --threads 8
  What arrives from a fleet, as JSON:
    tributary bench stream --servers 10.0.0.1:50051,10.0.0.2:50051 --json \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024)";

class BenchCommand final : public Command {
 public:
  BenchCommand() {
    arguments_.input_nodes = "train";
    arguments_.num_neighbors = "15,10,5";
    arguments_.batch_size = "1024";
  }
  CLI::App* Declare(CLI::App& root) override;
  absl::Status Run(SignalWatcher&) override;

 private:
  CLI::App* DeclareOne(CLI::App& bench, BenchKind kind, const char* name,
                       const char* about);
  bool made_up() const {
    return arguments_.graph.empty() && arguments_.servers.empty();
  }
  absl::StatusOr<BenchOptions> ReadOptions() const;
  absl::Status ReadRmat(RmatOptions* rmat) const;

  BenchKind kind_ = BenchKind::kSample;
  SampleArguments arguments_;
  std::string scale_ = "16", edges_ = "1048576", feat_dim_ = "100";
  std::string seconds_;
  bool json_ = false;
};

CLI::App* BenchCommand::Declare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", kDescription);
  app->require_subcommand(1);
  app->footer(kFooter);
  DeclareOne(*app, BenchKind::kSample, "sample",
             "Samples in this process, beside random reads of cache lines");
  DeclareOne(*app, BenchKind::kGather, "gather",
             "Samples with features in this process, beside memcpy and random "
             "reads of cache lines");
  DeclareOne(*app, BenchKind::kStream, "stream",
             "Receives with features over gRPC, beside raw loopback TCP")
      ->add_option("--servers", arguments_.servers,
                   "HOST:PORT,... or file:PATH or dns:///NAME:PORT; default: "
                   "a server in this process")
      ->type_name("LIST");
  return app;
}

CLI::App* BenchCommand::DeclareOne(CLI::App& bench, BenchKind kind,
                                   const char* name, const char* about) {
  CLI::App* app = bench.add_subcommand(name, about);
  app->callback([this, kind] { kind_ = kind; });
  app->add_option("--graph", arguments_.graph, "A graph's folder")
      ->type_name("DIR");
  DeclareSampleDraws(*app, arguments_);
  for (const char* option : {"--input-nodes", "--num-neighbors"}) {
    app->get_option(option)->required(false)->capture_default_str();
  }
  DeclareSampleLimits(*app, arguments_);
  app->add_option("--scale", scale_, "Of a made-up graph: 2^SCALE nodes")
      ->capture_default_str();
  app->add_option("--edges", edges_, "Of a made-up graph")
      ->capture_default_str();
  app->add_option("--feat-dim", feat_dim_, "Of a made-up graph")
      ->capture_default_str();
  app->add_option("--seconds", seconds_,
                  "Epoch after epoch for so long; default: --batches, once; "
                  "of a made-up graph: 3");
  app->add_flag("--json", json_, "One JSON object on a line");
  return app;
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

absl::StatusOr<BenchOptions> BenchCommand::ReadOptions() const {
  BenchOptions options;
  options.kind = kind_;
  RETURN_IF_ERROR(ReadRmat(&options.rmat));
  if (made_up()) options.time = kMadeUpTime;
  if (!seconds_.empty()) {
    ASSIGN_OR_RETURN(options.time,
                     ParseSeconds("--seconds", seconds_, absl::Milliseconds(1),
                                  absl::Hours(1)));
  }
  SampleArguments arguments = arguments_;
  if (made_up()) arguments.graph = "made up";  // what is parsed names one
  ASSIGN_OR_RETURN(options.request, ParseSampleArguments(arguments));
  options.request.graph = arguments_.graph;
  // Enough on its way that no thread of a server waits for this one.
  auto& worker = options.request.worker;
  worker.prefetch_size = std::clamp(2 * options.request.threads, 4, kMaxAhead);
  worker.worker_concurrency = worker.prefetch_size;
  return options;
}

absl::Status BenchCommand::Run(SignalWatcher&) {
  ASSIGN_OR_RETURN(BenchOptions options, ReadOptions());
  SampleRequest& request = options.request;
  if (!request.input_file.empty()) {
    ASSIGN_OR_RETURN(request.loader.input_nodes,
                     ReadInputFile(request.input_file));
  }
  SetLogLevel(LogLevel::kOff);  // what matters here comes as the status
  ASSIGN_OR_RETURN(const BenchReport report, RunBench(options));
  std::fputs((json_ ? ToJson(report) : ToText(report)).c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Command> MakeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tributary
