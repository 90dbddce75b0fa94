#include "cli/launch/launch_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/command/arguments.h"
#include "cli/command/exit_code.h"
#include "cli/dispatch/graph_location.h"
#include "cli/dispatch/host_list.h"
#include "cli/launch/agent_start.h"
#include "cli/launch/launch_plan.h"
#include "cli/launch/launcher.h"
#include "common/fleet/discovery_source.h"
#include "common/hash/sha256.h"
#include "common/identity/tls_flags.h"
#include "common/io/file_mapping.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "partition/format/graph_json.h"

extern char** environ;

namespace tributary {
namespace {

constexpr size_t kMaxServerFile = size_t{16} << 20;
constexpr int kMaxOnHost = 1024;

constexpr char kFooter[] =
    R"(Starts `tributary serve` on each host of IP_CONFIG (a line each: HOST, or HOST
PORT), waits until each partition has an owner, and starts COMMAND NUM_TRAINERS
times on each host, with RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR
and MASTER_PORT; once on each host if COMMAND is torchrun or has --nproc. All run
in WORKSPACE, where relative paths begin. Lines come with host and process before
them. Once all trainers have ended with 0, or the first process has failed, or on
Ctrl-C, everything is ended: SIGTERM, and SIGKILL after --grace.

Hosts that are this machine need no ssh; the others need one without questions, and
the same `tributary` on the PATH of the shell that ssh gives. Before anything starts
each host is asked whether it has program, graph, ports and memory.

Exit codes: 0 all trainers ended with 0; that of the first trainer that failed,
128 + N if signal N ended it; 2 the command line is wrong; 68 a host is lost; 69 hosts
have problems, nothing was started; 70 a server ended, or a partition has no owner;
130 Ctrl-C.
Examples:
  tributary launch --workspace ~/rgcn --num_trainers 1 --num_samplers 4 \
      --part_config data/ogbn-mag.json --ip_config ip_config.txt --insecure \
      "tributary-train --servers file:ip_config.txt --model rgcn --input paper:train"
  tributary launch --workspace . --part-config cora4 --ip-config servers.txt --dry-run \
      "python3 train.py")";

// Says how a flag of DGL's and its spelling with dashes are declared.
std::string Both(const std::string& name) {
  std::string dashes = name;
  for (char& c : dashes) c = c == '_' ? '-' : c;
  return dashes == name ? "--" + name : "--" + dashes + ",--" + name;
}

bool IsVariable(absl::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == absl::string_view::npos) return false;
  for (const char c : text.substr(0, equals)) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') {
      return false;
    }
  }
  return !absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
}

class LaunchCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "launch", "Start servers and trainers on a list of hosts, by ssh.");
    DeclareJob(*app);
    DeclareServers(*app);
    DeclareHosts(*app);
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher& signals) override {
    RETURN_IF_ERROR(ReadFlags());
    ASSIGN_OR_RETURN(const LaunchPlan plan, MakePlan());
    for (const std::string& note : plan.notes) Note(note);
    NoteForeignVariables();
    if (dry_run_) {
      std::fputs(DescribePlan(plan, options_.workspace).c_str(), stdout);
      return absl::OkStatus();
    }
    std::vector<AgentStart> starts;
    for (const HostPlan& host : plan.hosts) {
      ASSIGN_OR_RETURN(AgentStart start, StartOfAgent(host.host, ssh_));
      starts.push_back(std::move(start));
    }
    LaunchResult result;
    {
      Launcher launcher(plan, options_.workspace, limits_, std::move(starts),
                        Access(plan));
      result = launcher.Run(signals);
    }
    return Report(result);
  }

 private:
  void DeclareJob(CLI::App& app) {
    app.add_option("COMMAND", command_, "What each trainer runs, for /bin/sh")
        ->required();
    app.add_option(Both("workspace"), options_.workspace,
                   "Working directory at each host, where relative paths begin")
        ->required();
    app.add_option(Both("part_config"), options_.part_config,
                   "The graph in the workspace: its folder or graph.json, or "
                   "DGL's NAME.json in its place")
        ->required();
    app.add_option(Both("ip_config"), options_.ip_config,
                   "File in the workspace with a line for each host: HOST, or "
                   "HOST PORT of its server")
        ->required();
    app.add_option(Both("num_trainers"), num_trainers_, "Trainers on each host")
        ->capture_default_str();
    app.add_option(Both("num_omp_threads"), num_omp_threads_,
                   "OMP_NUM_THREADS of trainers; 0: not set")
        ->capture_default_str();
    app.add_option(Both("extra_envs"), options_.extra_envs,
                   "NAME=VALUE ..., further variables of trainers");
    app.add_option("--master-port", master_port_,
                   "Port of the first host where trainers meet")
        ->capture_default_str();
    app.add_option("--trainer-tls-ca", options_.trainer_tls.ca,
                   "Trainers' TRIBUTARY_TLS_CA");
    app.add_option("--trainer-tls-cert", options_.trainer_tls.cert,
                   "Trainers' TRIBUTARY_TLS_CERT");
    app.add_option("--trainer-tls-key", options_.trainer_tls.key,
                   "Trainers' TRIBUTARY_TLS_KEY");
  }

  void DeclareServers(CLI::App& app) {
    app.add_option(Both("num_servers") + "," + Both("server_count"),
                   num_servers_,
                   "Servers on each host, at following ports, of the same "
                   "partitions; their memory holds the graph once")
        ->capture_default_str();
    app.add_option(Both("num_samplers"), num_samplers_,
                   "Sampling threads of a host for each trainer; 0: all cores")
        ->capture_default_str();
    app.add_option(Both("num_server_threads"), num_server_threads_,
                   "Sampling threads of a server; wins over --num-samplers")
        ->capture_default_str();
    app.add_option(Both("graph_format"), options_.graph_format,
                   "DGL's; has no effect");
    app.add_option("--memory-budget", memory_budget_,
                   "`serve --memory-budget` of each server")
        ->capture_default_str();
    app.add_option("--serve-flag", options_.serve_flags,
                   "A further flag of `serve`, once for each: "
                   "--serve-flag=--policy=p.json")
        ->allow_extra_args(false);
    AddTlsFlags(app, options_.tls);
    app.add_flag("--insecure", options_.insecure,
                 "Serve in plain text beyond loopback, to all who reach it");
  }

  void DeclareHosts(CLI::App& app) {
    app.add_flag("--local", ssh_.all_local,
                 "Run all hosts' processes on this machine, without ssh");
    app.add_option(Both("ssh_port"), ssh_port_, "Port of ssh")
        ->capture_default_str();
    app.add_option(Both("ssh_username"), ssh_.user, "User for ssh");
    app.add_option("--ssh-option", ssh_.options,
                   "NAME=VALUE of ssh -o, once for each")
        ->allow_extra_args(false);
    app.add_option("--remote-program", ssh_.remote_program,
                   "`tributary` at the hosts")
        ->capture_default_str();
    app.add_option("--jobs", jobs_, "Hosts that are connected to at a time")
        ->capture_default_str();
    app.add_option("--connect-timeout", connect_,
                   "Seconds for a host to answer")
        ->capture_default_str();
    app.add_option("--lost-after", lost_after_,
                   "Seconds of silence after which a host is lost, and a host "
                   "that hears nothing ends its processes")
        ->capture_default_str();
    app.add_option("--wait", owners_,
                   "Seconds to wait until each partition has an owner")
        ->capture_default_str();
    app.add_option("--grace", grace_, "Seconds from SIGTERM to SIGKILL")
        ->capture_default_str();
    app.add_flag("--dry-run", dry_run_,
                 "Print each host's commands and start nothing");
    app.add_flag("--verbose", verbose_, "DGL's; has no effect");
  }

  absl::Status ReadFlags() {
    RETURN_IF_ERROR(ReadNumbers());
    const auto command = ReadTrainerCommand(command_);
    if (!command.ok()) return UsageError(command.status().message());
    options_.command = *command;
    for (const std::string& variable : options_.extra_envs) {
      if (IsVariable(variable)) continue;
      return UsageError(
          absl::StrCat("--extra-envs \"", variable, "\"\nallowed: NAME=VALUE"));
    }
    for (const std::string* word : {&ssh_.user, &ssh_.remote_program}) {
      if (word->empty() || IsPlainWord(*word)) continue;
      return UsageError(absl::StrCat("\"", *word,
                                     "\" goes through shells\nallowed: "
                                     "letters, digits and /._+=:@%~-[]"));
    }
    RETURN_IF_ERROR(ReadTls());
    options_.workspace = std::filesystem::absolute(options_.workspace)
                             .lexically_normal()
                             .string();
    if (options_.workspace.size() > 1 && options_.workspace.back() == '/') {
      options_.workspace.pop_back();
    }
    for (const char* name : {"PYTHONPATH", "OMP_NUM_THREADS"}) {
      const char* value = std::getenv(name);
      if (value == nullptr) continue;
      options_.passed_on.push_back(absl::StrCat(name, "=", value));
    }
    return absl::OkStatus();
  }

  absl::Status ReadNumbers() {
    const auto whole = [](const char* flag, const std::string& text,
                          uint64_t min, uint64_t max, auto& value) {
      const auto read = ParseWhole(flag, text, min, max);
      if (read.ok()) value = static_cast<std::decay_t<decltype(value)>>(*read);
      return read.status();
    };
    RETURN_IF_ERROR(whole("--num-trainers", num_trainers_, 1, kMaxOnHost,
                          options_.num_trainers));
    RETURN_IF_ERROR(whole("--num-servers", num_servers_, 1, kMaxOnHost,
                          options_.num_servers));
    RETURN_IF_ERROR(whole("--num-samplers", num_samplers_, 0, kMaxOnHost,
                          options_.num_samplers));
    RETURN_IF_ERROR(whole("--num-server-threads", num_server_threads_, 0,
                          kMaxOnHost, options_.num_server_threads));
    RETURN_IF_ERROR(whole("--num-omp-threads", num_omp_threads_, 0, 4096,
                          options_.num_omp_threads));
    RETURN_IF_ERROR(
        whole("--master-port", master_port_, 1, 65535, options_.master_port));
    RETURN_IF_ERROR(whole("--ssh-port", ssh_port_, 1, 65535, ssh_.port));
    RETURN_IF_ERROR(whole("--jobs", jobs_, 1, 1024, limits_.jobs));
    const auto seconds = [](const char* flag, const std::string& text, int most,
                            absl::Duration& value) {
      const auto read =
          ParseSeconds(flag, text, absl::Seconds(1), absl::Seconds(most));
      if (read.ok()) value = *read;
      return read.status();
    };
    RETURN_IF_ERROR(
        seconds("--connect-timeout", connect_, 600, limits_.connect));
    RETURN_IF_ERROR(
        seconds("--lost-after", lost_after_, 3600, limits_.lost_after));
    RETURN_IF_ERROR(seconds("--wait", owners_, 24 * 3600, limits_.owners));
    RETURN_IF_ERROR(seconds("--grace", grace_, 3600, limits_.grace));
    if (limits_.lost_after < 3 * kBeatPeriod) {
      return UsageError(absl::StrCat(
          "--lost-after ", lost_after_,
          "\nallowed: ", absl::FormatDuration(3 * kBeatPeriod), " or more"));
    }
    options_.grace = limits_.grace;
    ssh_.connect = limits_.connect;
    return absl::OkStatus();
  }

  absl::Status ReadTls() {
    for (const TlsFiles* files : {&options_.tls, &options_.trainer_tls}) {
      const absl::Status status = CheckTlsFiles(*files);
      if (!status.ok()) return UsageError(status.message());
    }
    const auto budget = ParseByteSize(memory_budget_);
    if (!budget.ok()) {
      return UsageError(
          absl::StrCat("--memory-budget: ", budget.status().message()));
    }
    batch_bytes_ = *budget * options_.num_servers;
    options_.serve_flags.insert(options_.serve_flags.begin(),
                                {"--memory-budget", memory_budget_});
    return absl::OkStatus();
  }

  absl::StatusOr<LaunchPlan> MakePlan() {
    const std::string& base = options_.workspace;
    ASSIGN_OR_RETURN(options_.graph, FindGraph(base, options_.part_config));
    ASSIGN_OR_RETURN(const GraphSchema schema,
                     ReadGraphJson(PathFrom(base, options_.graph)));
    ASSIGN_OR_RETURN(
        const std::string text,
        ReadFile(PathFrom(base, options_.ip_config), kMaxServerFile));
    ASSIGN_OR_RETURN(const std::vector<Address> nodes,
                     ParseServerFile(text, options_.ip_config));
    PreflightQuestion question;
    question.workspace = base;
    question.graph = options_.graph;
    question.layout_digest = ToHex(schema.layout_digest);
    if (options_.num_servers == 1) {
      question.server_file = options_.ip_config;
      question.server_file_digest = ToHex(Sha256Of(text));
    }
    for (const TlsFiles* files : {&options_.tls, &options_.trainer_tls}) {
      for (const std::string* file : {&files->ca, &files->cert, &files->key}) {
        if (!file->empty()) question.readable.push_back(*file);
      }
    }
    question.batch_bytes = batch_bytes_;
    auto plan = PlanLaunch(options_, nodes, schema.num_partitions, question);
    if (!plan.ok()) return UsageError(plan.status().message());
    return plan;
  }

  // Asks as the servers' own side does.
  FleetAccess Access(const LaunchPlan& plan) const {
    FleetAccess access;
    access.servers = plan.servers;
    if (options_.tls.empty()) return access;
    const std::string& base = options_.workspace;
    access.tls = {PathFrom(base, options_.tls.ca),
                  PathFrom(base, options_.tls.cert),
                  PathFrom(base, options_.tls.key)};
    return access;
  }

  static void Note(absl::string_view note) {
    std::fputs(TerminalError("tributary launch: note", note).c_str(), stderr);
  }

  // Names DGL's variables that the user has set for it: it sets its own, and
  // others have no meaning here.
  static void NoteForeignVariables() {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const absl::string_view text = *variable;
      if (!absl::StartsWith(text, "DGL_")) continue;
      Note(absl::StrCat(text.substr(0, text.find('=')),
                        " of the environment has no effect; trainers get the "
                        "values of this launch, and those of --extra-envs"));
    }
  }

  static absl::Status Report(const LaunchResult& result) {
    for (const std::string& detail : result.details) {
      std::fputs(TerminalError("tributary launch", detail).c_str(), stderr);
    }
    if (result.exit_code == 0) return absl::OkStatus();
    return WithExitCode(result.exit_code == kExitPreflight
                            ? absl::FailedPreconditionError(result.what)
                            : absl::AbortedError(result.what),
                        result.exit_code);
  }

  LaunchSettings options_;
  LaunchLimits limits_;
  SshOptions ssh_;
  std::string command_;
  std::string num_trainers_ = "1", num_servers_ = "1", num_samplers_ = "0",
              num_server_threads_ = "0", num_omp_threads_ = "0";
  std::string master_port_ = "29500", ssh_port_ = "22", jobs_ = "32";
  std::string connect_ = "20", lost_after_ = "10", owners_ = "300",
              grace_ = "10";
  std::string memory_budget_ = "1GB";
  uint64_t batch_bytes_ = 0;
  bool dry_run_ = false;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeLaunchCommand() {
  return std::make_unique<LaunchCommand>();
}

}  // namespace tributary
