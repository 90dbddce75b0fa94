#include "cli/fleet/serve_command.h"
#include "channel/network.h"

#include <CLI/CLI.hpp>

#include <string.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cli/command/arguments.h"
#include "cli/fleet/end_deadline.h"
#include "cli/fleet/end_signal.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/identity/tls_flags.h"
#include "common/observe/log.h"
#include "common/observe/log_flags.h"
#include "common/process/signal_watcher.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/partition_choice.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/server/sampler_server.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Prints one line on stdout once it serves:
  ready listen=127.0.0.1:41233 http=127.0.0.1:41234 partitions=0,1
and health=HOST:PORT with --health. With several graphs, graphs=NAME@VERSION:0,1;... instead of partitions=0,1.
SIGTERM and SIGINT drain a serving process: it accepts no new batches, finishes
those that it has, and exits with 0; after --drain-timeout it cancels what is left,
and ends within 15 s more whatever happens. A second signal ends it at once. With
--num-clients N it also drains once N trainers have reported that they are done,
as tributary-train's ranks do at their end.
Examples:
  tributary serve --graph cora.graph --listen 127.0.0.1:0
  tributary serve --graph products.graph --partitions 0,2 \
      --listen 10.0.0.1:50051 --peers 10.0.0.1:50051,10.0.0.2:50051 --insecure
  tributary serve --graph products.graph --listen 10.0.0.1:50051 --tls-ca ca.pem \
      --tls-cert sampler.pem --tls-key sampler.key --policy policy.json
  tributary serve --graph monday.graph --graph tuesday.graph --listen 127.0.0.1:0
  tributary serve --graph file:graphs.txt --listen 127.0.0.1:0)";

constexpr int kAllClientsGone = -1;  // not a signal number

// Returns the error of a flag's value as a usage error.
absl::Status Usage(const std::string& option, const absl::Status& status) {
  return UsageError(absl::StrCat(option, ": ", std::string(status.message())));
}

// Parses the address of an HTTP listener; none for an empty text.
absl::StatusOr<std::optional<Address>> ReadHttpAddress(
    const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto address = ParseAddress(text, /*allow_port_zero=*/true);
  if (!address.ok()) return Usage(option, address.status());
  if (!address->is_unix()) return *std::move(address);
  return UsageError(absl::StrCat(option, " is ", text, "; allowed: HOST:PORT"));
}

void NameGraph(std::string* out, const GraphState& graph) {
  absl::StrAppend(out, graph.name, ":", absl::StrJoin(graph.partitions, ","));
}

class ServeCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "serve", "Serve a graph's partitions to trainers and to peers.");
    app->add_option("--graph", graphs_,
                    "Graph folder, once for each graph; or file:PATH, a list "
                    "of folders that is read again every second")
        ->required()
        ->allow_extra_args(false);
    app->add_option(
           "--partitions", partitions_,
           "Partitions of each graph to serve: all, numbers: 0,2, or a "
           "share: 1%4, those whose number modulo 4 is 1; of a graph "
           "with fewer than 4, that of 1 modulo their number")
        ->capture_default_str();
    app->add_option("--listen", listen_,
                    "HOST:PORT; port 0: any free one; or unix:/PATH")
        ->required();
    app->add_option("--peers", options_.peers,
                    "The other servers: HOST:PORT,... | file:PATH | "
                    "dns:///NAME:PORT; may name this one too");
    app->add_option("--http", http_,
                    "HOST:PORT of the status page, /metrics and /healthz: with "
                    "--tls-* for operators and samplers, else plain text for "
                    "all who reach it; default: none");
    app->add_option("--health", health_,
                    "HOST:PORT of /healthz alone, plain text for all who reach "
                    "it, for probes; default: none");
    app->add_option("--transport", transport_,
                    "What carries batches, rows and peers' answers: auto (TCP "
                    "to clients and peers that speak it, else gRPC), grpc (the "
                    "port takes nothing else), or tcp (to peers TCP alone)")
        ->capture_default_str();
    AddTlsFlags(*app, options_.tls);
    app->add_option("--policy", options_.policy_file,
                    "File that says which jobs may read which graphs, read "
                    "again when it changes; in plain text a job is a claim; "
                    "default: each job may read all");
    app->add_option("--threads", threads_,
                    "Sampling threads; 0: one per core that this process may "
                    "use (its CPU affinity, and its cgroup's quota)")
        ->capture_default_str();
    app->add_flag("--verify", options_.verify,
                  "Check every file's CRC32C before serving");
    app->add_option("--memory-budget", memory_budget_,
                    "Bytes of batches being made or sent: 512MB, 4GB")
        ->capture_default_str();
    app->add_option("--tensor-memory", tensor_memory_,
                    "Bytes of mutable rows with their optimizers' state; 0: "
                    "this server holds none")
        ->capture_default_str();
    app->add_option(
        "--job-weights", job_weights_,
        "Shares of jobs, by worker_key: train-a=4,train-b=1,*=1; *: all others "
        "together, 0: refused; default: equal shares");
    app->add_option(
        "--max-rate", max_rate_,
        "Most bytes of batches per second: 100MB; default: no limit");
    app->add_option("--feature-memory", feature_memory_,
                    "Features are resident (mapped), paged (read from their "
                    "files by separate threads) or auto (paged if the graph is "
                    "larger than memory)")
        ->capture_default_str();
    app->add_option("--huge-pages", huge_pages_,
                    "Whether the graph is copied into huge pages at the start, "
                    "in which draws take less time: auto (what fits into half "
                    "of the free memory: structure first, then features), off "
                    "(mapped), or require (into pages that the system has "
                    "reserved)")
        ->capture_default_str();
    app->add_option("--feature-readers", feature_readers_,
                    "Threads that read paged features: 1 to 256")
        ->capture_default_str();
    app->add_option("--hot-cache", hot_cache_,
                    "Whether the cache of hot rows that `tributary cache` made "
                    "is loaded: on or off")
        ->capture_default_str();
    app->add_flag("--insecure", options_.insecure,
                  "Allow plain text beyond loopback: whoever reaches the "
                  "ports can read the graph, call itself any job, and use the "
                  "server's capacity");
    app->add_option(
           "--num-clients", num_clients_,
           "End once this many trainers are done; 0: end only on a signal")
        ->capture_default_str();
    app->add_option("--drain-timeout", drain_timeout_,
                    "Most seconds that draining may take; the process ends at "
                    "most 15 s later")
        ->capture_default_str();
    AddLogFlags(*app, log_);
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher& signals) override {
    RETURN_IF_ERROR(ReadOptions());
    ASSIGN_OR_RETURN(const absl::Duration drain_timeout,
                     ParseSeconds("--drain-timeout", drain_timeout_,
                                  absl::ZeroDuration(), absl::Hours(24)));
    options_.retire_grace = drain_timeout;
    EndSignal end;
    options_.all_clients_gone = [&end] { end.Set(kAllClientsGone); };
    ASSIGN_OR_RETURN(auto server, SamplerServer::Start(options_));
    // From here on the first signal drains; until now it ended the process.
    signals.OnStop([&end](int signal) { end.Set(signal); });
    WarnIfInsecure();
    PrintReady(*server);
    const int signal = end.Wait();
    LogInfo(absl::StrCat(
        signal == kAllClientsGone ? "all trainers are done"
                                  : absl::StrCat("SIG", sigabbrev_np(signal)),
        ": draining for at most ", absl::FormatDuration(drain_timeout)));
    const EndDeadline deadline(drain_timeout + kEndMargin);
    server->Drain(drain_timeout);
    server.reset();
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOptions();
  absl::Status ReadGraphs();
  absl::Status ReadShares();
  void WarnIfInsecure() const;
  static void PrintReady(const SamplerServer& server);

  SamplerServerOptions options_;
  std::vector<std::string> graphs_;
  std::string partitions_ = "all";
  std::string listen_;
  std::string transport_ = "auto";
  std::string http_;
  std::string health_;
  std::string threads_ = "0";
  std::string memory_budget_ = "1GB";
  std::string tensor_memory_ = "1GB";
  std::string num_clients_ = "0";
  std::string job_weights_;
  std::string max_rate_;
  std::string feature_memory_ = "auto";
  std::string huge_pages_ = "auto";
  std::string feature_readers_ = "8";
  std::string hot_cache_ = "on";
  std::string drain_timeout_ = "30";
  LogFlags log_;
};

absl::Status ServeCommand::ReadOptions() {
  RETURN_IF_ERROR(ReadGraphs());
  auto listen = ParseAddress(listen_, /*allow_port_zero=*/true);
  if (!listen.ok()) return Usage("--listen", listen.status());
  options_.listen = *listen;
  const auto transport = ParseCarrier(transport_);
  if (!transport.ok()) return Usage("--transport", transport.status());
  options_.transport = *transport;
  ASSIGN_OR_RETURN(options_.http, ReadHttpAddress("--http", http_));
  ASSIGN_OR_RETURN(options_.health, ReadHttpAddress("--health", health_));
  const absl::Status tls = CheckTlsFiles(options_.tls);
  if (!tls.ok()) return UsageError(tls.message());
  if (!options_.peers.empty()) {
    auto peers = ParseDiscoverySource(options_.peers);
    if (!peers.ok()) return Usage("--peers", peers.status());
  }
  ASSIGN_OR_RETURN(const uint64_t threads,
                   ParseWhole("--threads", threads_, 0, 1024));
  options_.threads = static_cast<int>(threads);
  auto budget = ParseByteSize(memory_budget_);
  if (!budget.ok()) return Usage("--memory-budget", budget.status());
  options_.memory_budget = *budget;
  auto tensor_memory = ParseByteSize(tensor_memory_);
  if (!tensor_memory.ok()) {
    return Usage("--tensor-memory", tensor_memory.status());
  }
  options_.tensor_memory = *tensor_memory;
  ASSIGN_OR_RETURN(const uint64_t num_clients,
                   ParseWhole("--num-clients", num_clients_, 0, 65536));
  options_.num_clients = static_cast<uint32_t>(num_clients);
  RETURN_IF_ERROR(ReadShares());
  auto feature_memory = ParseFeatureMemory(feature_memory_);
  if (!feature_memory.ok()) {
    return Usage("--feature-memory", feature_memory.status());
  }
  options_.feature_memory = *feature_memory;
  ASSIGN_OR_RETURN(
      const size_t huge_pages,
      ParseChoice("--huge-pages", huge_pages_, {"off", "auto", "require"}));
  options_.huge_pages = static_cast<HugePages>(huge_pages);
  ASSIGN_OR_RETURN(const uint64_t readers,
                   ParseWhole("--feature-readers", feature_readers_, 1, 256));
  options_.feature_readers = static_cast<int>(readers);
  ASSIGN_OR_RETURN(const size_t hot_cache,
                   ParseChoice("--hot-cache", hot_cache_, {"off", "on"}));
  options_.hot_cache = hot_cache == 1;
  const absl::Status log = ApplyLogFlags(log_);
  return log.ok() ? log : UsageError(log.message());
}

absl::Status ServeCommand::ReadGraphs() {
  auto partitions = PartitionChoice::Parse(partitions_);
  if (!partitions.ok()) return Usage("--partitions", partitions.status());
  for (const std::string& graph : graphs_) {
    absl::string_view path = graph;
    if (!absl::ConsumePrefix(&path, "file:")) {
      options_.graphs.push_back({graph, *partitions});
      continue;
    }
    if (path.empty() || graphs_.size() > 1) {
      return UsageError(absl::StrCat(
          "--graph ", graph, "; allowed: folders, or one file:PATH alone"));
    }
    options_.graph_file = std::string(path);
  }
  options_.partitions = *std::move(partitions);
  return absl::OkStatus();
}

absl::Status ServeCommand::ReadShares() {
  if (!job_weights_.empty()) {
    auto weights = JobWeights::Parse(job_weights_);
    if (!weights.ok()) return Usage("--job-weights", weights.status());
    options_.job_weights = *std::move(weights);
  }
  if (!max_rate_.empty()) {
    auto rate = ParseByteSize(max_rate_);
    if (!rate.ok()) return Usage("--max-rate", rate.status());
    if (*rate == 0) return UsageError("--max-rate: 0 would send nothing");
    options_.max_rate = *rate;
  }
  return absl::OkStatus();
}

void ServeCommand::WarnIfInsecure() const {
  if (!options_.insecure || !options_.tls.empty()) return;
  Log(LogLevel::kWarning,
      "--insecure: plain text on every port; whoever reaches them can read the "
      "graph, call itself any job, and use the server's capacity");
}

void ServeCommand::PrintReady(const SamplerServer& server) {
  std::string line = absl::StrCat("ready listen=", server.address().ToString());
  if (const auto http = server.http_address()) {
    absl::StrAppend(&line, " http=", http->ToString());
  }
  if (const auto health = server.health_address()) {
    absl::StrAppend(&line, " health=", health->ToString());
  }
  const std::vector<GraphState> graphs = server.graphs();
  if (graphs.size() == 1) {
    absl::StrAppend(
        &line, " partitions=", absl::StrJoin(graphs.front().partitions, ","));
  } else {
    absl::StrAppend(&line, " graphs=", absl::StrJoin(graphs, ";", NameGraph));
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace

std::unique_ptr<Command> MakeServeCommand() {
  return std::make_unique<ServeCommand>();
}

}  // namespace tributary
