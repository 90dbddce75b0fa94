#include "cli/fleet/doctor_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/fleet/check.h"
#include "cli/fleet/fleet_checks.h"
#include "cli/fleet/fleet_query.h"
#include "cli/fleet/folder_checks.h"
#include "cli/fleet/tls_checks.h"
#include "cli/query/fleet_access.h"
#include "common/identity/tls_flags.h"
#include "common/process/memory_limit.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Calls to each server after the first one, which measure the round trip.
constexpr int kProbes = 4;

constexpr char kDescription[] =
    R"(Diagnoses a fleet or a folder, and names remedies. Prints one line per check:

  ok|warn|fail  what: detail; remedy)";

constexpr char kFooter[] =
    R"(Exits with 1 if a check fails; warnings do not count.
Examples:
  tributary doctor --servers 10.0.0.1:50051,10.0.0.2:50051
  tributary doctor --graph cora.graph)";

absl::Status Report(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    std::printf("%s\n", check.ToString().c_str());
  }
  std::fflush(stdout);
  const int failed = CountFailed(checks);
  if (failed == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(failed, " of ", checks.size(), " checks failed"));
}

class DoctorCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand("doctor", kDescription);
    app->add_option("--servers", access_.servers,
                    "A fleet: HOST:PORT,... | file:PATH | dns:///NAME:PORT");
    AddTlsFlags(*app, access_.tls);
    app->add_option("--graph", graph_, "A graph folder");
    app->add_option("--graph-name", graph_name_,
                    "Only this graph of the fleet: NAME[@VERSION]");
    app->add_option("--timeout", timeout_, "Seconds to wait for the servers")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    if (access_.servers.empty() == graph_.empty()) {
      return UsageError(absl::StrCat(
          graph_.empty() ? "neither --servers nor" : "both --servers and",
          " --graph\nallowed: one of --servers LIST and --graph DIR"));
    }
    if (!graph_.empty()) return Report(CheckFolder(graph_, ReadMemoryLimit()));
    ASSIGN_OR_RETURN(const absl::Duration timeout,
                     ParseSeconds("--timeout", timeout_, absl::Milliseconds(1),
                                  absl::Hours(1)));
    ASSIGN_OR_RETURN(const GraphName graph,
                     ParseGraphName("--graph-name", graph_name_));
    ASSIGN_OR_RETURN(const std::vector<ServerAnswer> answers,
                     AskServers(access_, graph, timeout, kProbes));
    std::vector<Check> checks = CheckFleet(answers);
    for (Check& check : CheckTls(access_.tls, answers, timeout)) {
      checks.push_back(std::move(check));
    }
    return Report(checks);
  }

 private:
  FleetAccess access_;
  std::string graph_, graph_name_;
  std::string timeout_ = "5";
};

}  // namespace

std::unique_ptr<Command> MakeDoctorCommand() {
  return std::make_unique<DoctorCommand>();
}

}  // namespace tributary
