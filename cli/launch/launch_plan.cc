#include "cli/launch/launch_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/dispatch/host_list.h"
#include "cli/dispatch/shell_word.h"
#include "common/text/status.h"
#include "partition/schema/partition_choice.h"

namespace tributary {
namespace {

using Kind = TrainerCommand::Kind;

// An argument of a program may have 128 KiB.
constexpr size_t kMaxServerList = 100 << 10;
constexpr int kMaxPort = 65535;

void SetVariable(const std::string& name, const std::string& value,
                 AgentProcess& process) {
  process.environment.push_back(absl::StrCat(name, "=", value));
}

void AddFlag(const char* flag, const std::string& value,
             std::vector<std::string>& arguments) {
  if (value.empty()) return;
  arguments.push_back(flag);
  arguments.push_back(value);
}

// Makes the plan of all hosts, a step at a time.
class Planner {
 public:
  Planner(const LaunchSettings& options, const std::vector<Address>& nodes,
          uint32_t num_partitions, const PreflightQuestion& preflight)
      : options_(options),
        nodes_(nodes),
        num_partitions_(num_partitions),
        preflight_(preflight) {}

  absl::StatusOr<LaunchPlan> Plan() {
    RETURN_IF_ERROR(CheckNodes());
    RETURN_IF_ERROR(CheckCommand());
    RETURN_IF_ERROR(ListServers());
    AddNotes();
    for (size_t i = 0; i < nodes_.size(); ++i) PlanHost(i);
    return std::move(plan_);
  }

 private:
  absl::Status CheckNodes() {
    if (nodes_.empty()) return Wrong("has no hosts");
    std::set<Address> taken;
    for (const Address& node : nodes_) {
      if (node.is_unix() || !IsPlainWord(node.host)) {
        return Wrong(absl::StrCat("\"", node.ToString(),
                                  "\" is no address of a machine"));
      }
      if (node.port + options_.num_servers - 1 > kMaxPort) {
        return Wrong(absl::StrCat(node.ToString(), " has no ", kMaxPort,
                                  " ports for ", options_.num_servers,
                                  " servers after it"));
      }
      for (int k = 0; k < options_.num_servers; ++k) {
        if (taken.insert(ServerAddress(node, k)).second) continue;
        return Wrong(absl::StrCat("two servers would listen at ",
                                  ServerAddress(node, k).ToString()));
      }
      if (options_.tls.empty() && !options_.insecure &&
          !IsLoopback(node.host)) {
        return absl::InvalidArgumentError(absl::StrCat(
            node.ToString(),
            " would be served in plain text to all who reach it\nallowed: "
            "--tls-ca, --tls-cert and --tls-key, or --insecure"));
      }
      ++names_[node.host];
    }
    return absl::OkStatus();
  }

  absl::Status Wrong(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(options_.ip_config, ": ", why,
                     "\nallowed: a host a line, HOST or HOST PORT"));
  }

  absl::Status CheckCommand() const {
    const TrainerCommand& command = options_.command;
    if (command.kind != Kind::kNproc) return absl::OkStatus();
    if (options_.num_trainers > 1 && options_.num_trainers != command.nproc) {
      return absl::InvalidArgumentError(
          absl::StrCat("--num-trainers ", options_.num_trainers,
                       ", but COMMAND has --nproc ", command.nproc,
                       "\nallowed: one of them, or the same number"));
    }
    if (nodes_.size() > 1 && !command.has_nnodes && !command.is_simple) {
      return absl::InvalidArgumentError(
          "COMMAND has --nproc and is more than one simple command, so that "
          "--nnodes cannot be added\nallowed: add --nnodes $TRIBUTARY_NNODES "
          "--node-rank $TRIBUTARY_NODE_RANK --master-addr $MASTER_ADDR "
          "--master-port $MASTER_PORT to it");
    }
    return absl::OkStatus();
  }

  // Where servers and trainers find all servers: the file that the hosts have,
  // or a list, if there are more servers than the file says.
  absl::Status ListServers() {
    std::vector<std::string> all;
    for (const Address& node : nodes_) {
      for (int k = 0; k < options_.num_servers; ++k) {
        all.push_back(ServerAddress(node, k).ToString());
      }
    }
    plan_.servers = absl::StrJoin(all, ",");
    source_ = options_.num_servers == 1
                  ? absl::StrCat("file:", options_.ip_config)
                  : plan_.servers;
    if (source_.size() <= kMaxServerList) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(all.size(),
                     " servers are more than a command line can name\nallowed: "
                     "--num-servers 1, with which they are read from ",
                     options_.ip_config));
  }

  void AddNotes() {
    if (!options_.graph_format.empty()) {
      plan_.notes.push_back(absl::StrCat(
          "--graph-format ", options_.graph_format,
          " has no effect: the folder has the one format that servers read"));
    }
    if (options_.num_samplers > 0 && options_.num_server_threads > 0) {
      plan_.notes.push_back(
          absl::StrCat("--num-samplers ", options_.num_samplers,
                       " has no effect beside --num-server-threads ",
                       options_.num_server_threads));
    }
    if (num_partitions_ != nodes_.size()) {
      plan_.notes.push_back(
          absl::StrCat(num_partitions_, " partitions over ", nodes_.size(),
                       " hosts: host I has those whose number modulo ",
                       nodes_.size(), " is I, and at least one"));
    }
  }

  static Address ServerAddress(const Address& node, int k) {
    return {node.host, static_cast<uint16_t>(node.port + k)};
  }

  std::string Share(size_t index) const {
    return absl::StrCat(index, "%", nodes_.size());
  }

  void PlanHost(size_t index) {
    const Address& node = nodes_[index];
    HostPlan host;
    host.host = node.host;
    host.name = names_[node.host] == 1 ? node.host : node.ToString();
    for (int k = 0; k < options_.num_servers; ++k) {
      host.processes.push_back(Server(index, k));
    }
    const int starts =
        options_.command.kind == Kind::kRank ? options_.num_trainers : 1;
    for (int local = 0; local < starts; ++local) {
      host.processes.push_back(Trainer(index, local));
    }
    host.preflight = Question(index);
    plan_.hosts.push_back(std::move(host));
  }

  PreflightQuestion Question(size_t index) const {
    PreflightQuestion question = preflight_;
    const auto share = PartitionChoice::Parse(Share(index));
    question.partitions = share->Of(num_partitions_);
    for (int k = 0; k < options_.num_servers; ++k) {
      question.listen.push_back(ServerAddress(nodes_[index], k).ToString());
    }
    if (index == 0 && world() > 1) {
      question.listen.push_back(
          Address{nodes_[0].host, options_.master_port}.ToString());
    }
    question.program = options_.command.program;
    return question;
  }

  AgentProcess Server(size_t index, int k) const {
    AgentProcess server;
    server.name = absl::StrCat("server ", index * options_.num_servers + k);
    server.stage = kServerStage;
    std::vector<std::string>& words = server.arguments;
    words = {"serve",
             "--graph",
             options_.graph,
             "--partitions",
             Share(index),
             "--listen",
             ServerAddress(nodes_[index], k).ToString(),
             "--peers",
             source_};
    if (const int threads = ServerThreads(); threads > 0) {
      AddFlag("--threads", absl::StrCat(threads), words);
    }
    AddFlag("--drain-timeout",
            absl::StrCat(absl::ToDoubleSeconds(options_.grace)), words);
    AddFlag("--tls-ca", options_.tls.ca, words);
    AddFlag("--tls-cert", options_.tls.cert, words);
    AddFlag("--tls-key", options_.tls.key, words);
    if (options_.insecure) words.push_back("--insecure");
    for (const std::string& flag : options_.serve_flags) words.push_back(flag);
    return server;
  }

  // As many as DGL has samplers on a host, shared by its servers.
  int ServerThreads() const {
    if (options_.num_server_threads > 0) return options_.num_server_threads;
    const int samplers = options_.num_samplers * RanksOfHost();
    return (samplers + options_.num_servers - 1) / options_.num_servers;
  }

  int RanksOfHost() const {
    return options_.command.kind == Kind::kNproc ? options_.command.nproc
                                                 : options_.num_trainers;
  }
  size_t world() const { return nodes_.size() * RanksOfHost(); }

  AgentProcess Trainer(size_t index, int local) const {
    const size_t rank = index * options_.num_trainers + local;
    AgentProcess trainer;
    trainer.stage = kTrainerStage;
    trainer.shell = options_.command.text;
    const bool is_rank = options_.command.kind == Kind::kRank;
    trainer.name = absl::StrCat("trainer ", is_rank ? rank : index);
    const std::string nodes = absl::StrCat(nodes_.size());
    const std::string node = absl::StrCat(index);
    const std::string port = absl::StrCat(options_.master_port);
    SetVariable("MASTER_ADDR", nodes_[0].host, trainer);
    SetVariable("MASTER_PORT", port, trainer);
    SetVariable("TRIBUTARY_SERVERS", source_, trainer);
    SetVariable("TRIBUTARY_NNODES", nodes, trainer);
    SetVariable("TRIBUTARY_NODE_RANK", node, trainer);
    if (is_rank) {
      SetVariable("RANK", absl::StrCat(rank), trainer);
      SetVariable("LOCAL_RANK", absl::StrCat(local), trainer);
      SetVariable("WORLD_SIZE", absl::StrCat(world()), trainer);
      SetVariable("LOCAL_WORLD_SIZE", absl::StrCat(RanksOfHost()), trainer);
    } else if (options_.command.kind == Kind::kTorchrun) {
      SetVariable("PET_NNODES", nodes, trainer);
      SetVariable("PET_NODE_RANK", node, trainer);
      SetVariable("PET_NPROC_PER_NODE", absl::StrCat(RanksOfHost()), trainer);
      SetVariable("PET_MASTER_ADDR", nodes_[0].host, trainer);
      SetVariable("PET_MASTER_PORT", port, trainer);
    } else if (nodes_.size() > 1 && !options_.command.has_nnodes) {
      absl::StrAppend(&trainer.shell, " --nnodes ", nodes, " --node-rank ",
                      node, " --master-addr ", nodes_[0].host,
                      " --master-port ", port);
    }
    SetDglVariables(trainer);
    SetUserVariables(trainer);
    return trainer;
  }

  // What scripts that were written for DGL may read.
  void SetDglVariables(AgentProcess& trainer) const {
    SetVariable("DGL_ROLE", "client", trainer);
    SetVariable("DGL_DIST_MODE", "distributed", trainer);
    SetVariable("DGL_GROUP_ID", "0", trainer);
    SetVariable("DGL_IP_CONFIG", options_.ip_config, trainer);
    SetVariable("DGL_CONF_PATH", options_.part_config, trainer);
    SetVariable("DGL_NUM_SERVER", absl::StrCat(options_.num_servers), trainer);
    SetVariable("DGL_NUM_SAMPLER", absl::StrCat(options_.num_samplers),
                trainer);
    SetVariable("DGL_NUM_CLIENT",
                absl::StrCat(world() * (1 + options_.num_samplers)), trainer);
    if (options_.graph_format.empty()) return;
    SetVariable("DGL_GRAPH_FORMAT", options_.graph_format, trainer);
  }

  void SetUserVariables(AgentProcess& trainer) const {
    if (!options_.trainer_tls.empty()) {
      SetVariable("TRIBUTARY_TLS_CA", options_.trainer_tls.ca, trainer);
      SetVariable("TRIBUTARY_TLS_CERT", options_.trainer_tls.cert, trainer);
      SetVariable("TRIBUTARY_TLS_KEY", options_.trainer_tls.key, trainer);
    }
    for (const std::string& variable : options_.passed_on) {
      trainer.environment.push_back(variable);
    }
    if (options_.num_omp_threads > 0) {
      SetVariable("OMP_NUM_THREADS", absl::StrCat(options_.num_omp_threads),
                  trainer);
    }
    for (const std::string& variable : options_.extra_envs) {
      trainer.environment.push_back(variable);
    }
  }

  const LaunchSettings& options_;
  const std::vector<Address>& nodes_;
  const uint32_t num_partitions_;
  const PreflightQuestion& preflight_;
  std::map<std::string, int> names_;  // how many lines each host has
  std::string source_;
  LaunchPlan plan_;
};

}  // namespace

absl::StatusOr<LaunchPlan> PlanLaunch(const LaunchSettings& options,
                                      const std::vector<Address>& nodes,
                                      uint32_t num_partitions,
                                      const PreflightQuestion& preflight) {
  return Planner(options, nodes, num_partitions, preflight).Plan();
}

std::string CommandLineOf(const AgentProcess& process) {
  if (!process.shell.empty()) return process.shell;
  std::string line = "tributary";
  for (const std::string& word : process.arguments) {
    absl::StrAppend(&line, " ", ShellWord(word));
  }
  return line;
}

std::string DescribePlan(const LaunchPlan& plan, const std::string& workspace) {
  std::string text;
  for (const HostPlan& host : plan.hosts) {
    for (const AgentProcess& process : host.processes) {
      absl::StrAppend(&text, host.name, " ", process.name, ": cd ",
                      ShellWord(workspace), " &&");
      for (const std::string& variable : process.environment) {
        const size_t value = variable.find('=') + 1;
        absl::StrAppend(
            &text, " ", variable.substr(0, value),
            variable.size() == value ? "" : ShellWord(variable.substr(value)));
      }
      absl::StrAppend(&text, " ",
                      process.shell.empty()
                          ? CommandLineOf(process)
                          : absl::StrCat("sh -c ", ShellWord(process.shell)),
                      "\n");
    }
  }
  return text;
}

}  // namespace tributary
