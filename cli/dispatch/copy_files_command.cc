#include "cli/dispatch/copy_files_command.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/dispatch/copy_commands.h"
#include "cli/dispatch/dispatch.h"
#include "cli/dispatch/dispatch_report.h"
#include "cli/dispatch/graph_location.h"
#include "common/io/file_mapping.h"
#include "common/process/find_program.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"

namespace tributary {
namespace {

constexpr size_t kMaxHostFile = size_t{16} << 20;

constexpr char kFooter[] =
    R"(To WORKSPACE of each host of IP_CONFIG go IP_CONFIG itself, the folder of scripts,
and to WORKSPACE/REL_DATA_PATH the files of the graph that a server of the host's
partitions reads: host i of n has the share i%n, as `tributary launch` starts its
server. The graph is verified there by its digests, before and after: a host that has
it is left alone, so the same command goes on after a failure. `tributary dispatch` is
the same for other folders and commands.

Prints a line for each host. Exit codes: 0 all are done, 1 some failed, which stderr
names with the exit code of their command.
Example:
  tributary copy-files --workspace /srv/rgcn --rel_data_path data \
      --part_config mag/graph.json --script_folder code --ip_config ip_config.txt)";

class CopyFilesCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "copy-files",
        "Send a graph, scripts and ip_config to the hosts, by ssh.");
    app->add_option("--workspace", workspace_, "Folder at each host")
        ->required();
    app->add_option("--rel-data-path,--rel_data_path", data_path_,
                    "Folder of the graph in the workspace")
        ->required();
    app->add_option("--part-config,--part_config", part_config_,
                    "The graph on this machine: its folder or graph.json")
        ->required();
    app->add_option("--ip-config,--ip_config", ip_config_,
                    "File on this machine with a line for each host")
        ->required();
    app->add_option("--script-folder,--script_folder", script_folder_,
                    "Folder on this machine to copy into the workspace");
    app->add_option("--copy-with", copy_with_,
                    "rsync, scp, or auto: scp where this machine has no rsync")
        ->capture_default_str();
    app->add_option("--ssh-port,--ssh_port", ssh_port_, "Port of ssh")
        ->capture_default_str();
    app->add_option("--ssh-username,--ssh_username", route_.user,
                    "User for ssh");
    app->add_option("--ssh-option", route_.options,
                    "NAME=VALUE of ssh -o, once for each")
        ->allow_extra_args(false);
    app->add_option("--remote-program", route_.remote_program,
                    "`tributary` at the hosts")
        ->capture_default_str();
    app->add_option("--jobs", jobs_, "Hosts at a time")->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    RETURN_IF_ERROR(ReadFlags());
    DispatchOptions options;
    ASSIGN_OR_RETURN(options.graph, FindGraph("", part_config_));
    ASSIGN_OR_RETURN(const std::vector<DispatchHost> hosts,
                     ReadHosts(options.graph));
    options.to = absl::StrCat(workspace_, "/", data_path_);
    ASSIGN_OR_RETURN(const uint64_t jobs, ParseWhole("--jobs", jobs_, 1, 256));
    options.jobs = static_cast<int>(jobs);
    ASSIGN_OR_RETURN(
        options.copy,
        CommandTemplate::Parse("copy", CopyCommandOf(route_), CopyPlaces()));
    ASSIGN_OR_RETURN(options.verify,
                     CommandTemplate::Parse("verify", VerifyCommandOf(route_),
                                            VerifyPlaces()));
    for (const std::string& path : {ip_config_, script_folder_}) {
      if (path.empty()) continue;
      ASSIGN_OR_RETURN(
          CommandTemplate send,
          CommandTemplate::Parse(
              "send", SendCommandOf(route_, path, workspace_), CopyPlaces()));
      options.beside.push_back(std::move(send));
    }
    return Dispatch(options, hosts, [](const Dispatched& done) {
      ReportDispatched("tributary copy-files", done);
    });
  }

 private:
  absl::Status ReadFlags() {
    ASSIGN_OR_RETURN(const uint64_t port,
                     ParseWhole("--ssh-port", ssh_port_, 1, 65535));
    route_.port = static_cast<uint16_t>(port);
    ASSIGN_OR_RETURN(const size_t with, ParseChoice("--copy-with", copy_with_,
                                                    {"auto", "rsync", "scp"}));
    route_.use_scp = with == 2 || (with == 0 && !FindProgram("rsync"));
    const absl::Status route = CheckRoute(route_);
    if (!route.ok()) return UsageError(route.message());
    for (std::string* path : {&workspace_, &data_path_, &script_folder_}) {
      while (path->size() > 1 && path->back() == '/') path->pop_back();
    }
    for (const std::string* path : {&workspace_, &data_path_}) {
      if (IsPlainWord(*path)) continue;
      return UsageError(absl::StrCat("\"", *path,
                                     "\" goes through shells\nallowed: "
                                     "letters, digits and /._+=:@%~-[]"));
    }
    if (data_path_[0] == '/') {
      return UsageError(absl::StrCat("--rel-data-path ", data_path_,
                                     "\nallowed: a path in the workspace"));
    }
    if (script_folder_.empty() || access(script_folder_.c_str(), R_OK) == 0) {
      return absl::OkStatus();
    }
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot read --script-folder ", script_folder_));
  }

  absl::StatusOr<std::vector<DispatchHost>> ReadHosts(
      const std::string& graph) const {
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(graph));
    ASSIGN_OR_RETURN(const std::string text,
                     ReadFile(ip_config_, kMaxHostFile));
    return ParseIpConfig(text, ip_config_, schema.num_partitions);
  }

  std::string workspace_, data_path_, part_config_, ip_config_, script_folder_;
  CopyRoute route_;
  std::string copy_with_ = "auto";
  std::string ssh_port_ = "22";
  std::string jobs_ = "4";
};

}  // namespace

std::unique_ptr<Command> MakeCopyFilesCommand() {
  return std::make_unique<CopyFilesCommand>();
}

}  // namespace tributary
