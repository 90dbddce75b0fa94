#include "cli/dispatch/dispatch_command.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/dispatch/dispatch.h"
#include "cli/dispatch/dispatch_report.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"

namespace tributary {
namespace {

constexpr size_t kMaxHostFile = size_t{16} << 20;

// No password prompts, and an end for a connection that is silent.
constexpr char kCopy[] =
    "rsync -a --partial --mkpath --timeout=300 -e 'ssh -o BatchMode=yes -o "
    "ConnectTimeout=20' --files-from={list} {graph}/ {host}:{to}/";
constexpr char kVerify[] =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=60 "
    "{host} tributary verify {to} --partitions {partitions} --layout-digest "
    "{digest} --hot-digest {hot} --hot-lists {lists}";

constexpr char kFooter[] =
    R"(Each host gets graph.json, node_map, degrees, edge_index, splits and hot-lists,
the folders of its partitions, and their caches of hot rows. A line of HOSTS is
HOST, or HOST PARTITIONS as `serve --partitions` takes them; host i of n without
PARTITIONS gets the share i%n.

The verify command runs before and after the copy, at the host. A host where it
succeeds is left alone, so the same command goes on after a failure. graph.json,
hot/hot.json and the hot lists' files.json are copied last: no server opens half a
graph. Give each graph a folder of its own. Commands run in /bin/sh; {list} is a
file with a path in {graph} per line, {folder} a folder of just these files (hard
links beside the graph).

Prints a line for each host. Exit codes: 0 all are done, 1 some failed, which
stderr names with the exit code of their command.
Examples:
  tributary dispatch --graph mag --ip-config ip_config.txt --to /data/mag
  tributary dispatch --graph mag --hosts hosts.txt --to /data/mag \
      --copy-command 'scp -qr {folder}/. {host}:{to}/'
  tributary dispatch --graph mag --hosts pods.txt --to /graphs/mag \
      --copy-command 'kubectl cp {folder}/. {host}:{to}' \
      --verify-command 'kubectl exec {host} -- /app/tributary verify {to}
          --partitions {partitions} --layout-digest {digest}
          --hot-digest {hot} --hot-lists {lists}')";

class DispatchCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "dispatch",
        "Send a graph's partitions to the machines that serve "
        "them, and verify them there.");
    app->add_option("--graph", options_.graph,
                    "Graph folder, with all of its partitions")
        ->required();
    CLI::Option* hosts =
        app->add_option("--hosts", hosts_, "File of lines HOST [PARTITIONS]");
    app->add_option("--ip-config", ip_config_,
                    "DGL's ip_config.txt, instead of --hosts")
        ->excludes(hosts);
    app->add_option("--to", options_.to, "Folder at each host")->required();
    app->add_option("--copy-command", copy_,
                    "Copies the files of one host: {host} {to} {graph} and "
                    "{list} or {folder}")
        ->capture_default_str();
    CLI::Option* verify =
        app->add_option("--verify-command", verify_,
                        "Succeeds if the host has the files: {host} {to} "
                        "{partitions} {digest} {hot} {lists}")
            ->capture_default_str();
    app->add_flag("--no-verify", no_verify_,
                  "Believe the copy command, and run it for every host")
        ->excludes(verify);
    app->add_option("--jobs", jobs_, "Hosts at a time")->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    RETURN_IF_ERROR(ReadFlags());
    ASSIGN_OR_RETURN(const std::vector<DispatchHost> hosts, ReadHosts());
    return Dispatch(options_, hosts, [](const Dispatched& done) {
      ReportDispatched("tributary dispatch", done);
    });
  }

 private:
  absl::Status ReadFlags() {
    if (hosts_.empty() == ip_config_.empty()) {
      return UsageError("allowed: either --hosts or --ip-config");
    }
    if (!IsPlainWord(options_.to)) {
      return UsageError(
          absl::StrCat("--to \"", options_.to,
                       "\"\nallowed: letters, digits and /._+=:@%~-[], for it "
                       "passes through shells"));
    }
    while (options_.graph.size() > 1 && options_.graph.back() == '/') {
      options_.graph.pop_back();
    }
    ASSIGN_OR_RETURN(const uint64_t jobs, ParseWhole("--jobs", jobs_, 1, 256));
    options_.jobs = static_cast<int>(jobs);
    const auto copy =
        CommandTemplate::Parse("--copy-command", copy_, CopyPlaces());
    if (!copy.ok()) return UsageError(copy.status().message());
    if (copy->Has("list") == copy->Has("folder")) {
      return UsageError(absl::StrCat("--copy-command ", copy_,
                                     "\nallowed: with {list} or {folder}, "
                                     "which say what to copy"));
    }
    options_.copy = *copy;
    if (no_verify_) return absl::OkStatus();
    const auto verify =
        CommandTemplate::Parse("--verify-command", verify_, VerifyPlaces());
    if (!verify.ok()) return UsageError(verify.status().message());
    options_.verify = *verify;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<DispatchHost>> ReadHosts() const {
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(options_.graph));
    const std::string& path = hosts_.empty() ? ip_config_ : hosts_;
    ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxHostFile));
    return hosts_.empty() ? ParseIpConfig(text, path, schema.num_partitions)
                          : ParseHostFile(text, path, schema.num_partitions);
  }

  DispatchOptions options_;
  std::string hosts_, ip_config_;
  std::string copy_ = kCopy;
  std::string verify_ = kVerify;
  bool no_verify_ = false;
  std::string jobs_ = "4";
};

}  // namespace

std::unique_ptr<Command> MakeDispatchCommand() {
  return std::make_unique<DispatchCommand>();
}

}  // namespace tributary
