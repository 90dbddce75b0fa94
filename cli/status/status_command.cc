#include "cli/status/status_command.h"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/fleet/fleet_query.h"
#include "cli/fleet/missing_owners.h"
#include "cli/query/batch_query.h"
#include "cli/query/fleet_access.h"
#include "cli/status/watch_status.h"
#include "common/fleet/graph_name.h"
#include "common/identity/tls_flags.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/modes/wait_line.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(One line per server and graph, ordered by address; of several versions of a
graph the newest is last. Of the last minute `busy` is the share of the server's
capacity that was in use, `wait` the most that a trainer waited for batches:
  127.0.0.1:50051 ready graph=cora@b2c1e0aa90f3 layout=1c4d5a926af97e70 partitions=0,1/4 peers=1/1 budget=1073741824 busy=0.83 wait=0.10 transport=tcp,grpc
  127.0.0.1:50052 UNAVAILABLE: ...
Fails when a server does not answer, or none is listed.
With --wait it first waits until every partition of a graph has an owner that
answers and does not drain, and then does not mind others that are silent. A
name that does not resolve yet, and a list without servers, are waited for, too.
With --watch it shows the fleet as the page at --http of a server does, in 80
columns, again and again: servers, partitions and their owners, jobs with their
rates and slowest stage, troubles and what to do about each. On a terminal each
report replaces the one before. Ctrl-C ends it, with exit code 0.
Examples:
  tributary status --servers 10.0.0.1:50051,10.0.0.2:50051
  tributary status --servers dns:///sampler:50051 --wait 1h
  tributary status --servers dns:///sampler:50051 --watch
  tributary status --servers dns:///sampler:50051 --watch 10 --count 6
  Why batch 17 of epoch 0 of job default was slow:
  tributary status --servers 10.0.0.1:50051,10.0.0.2:50051 --batch default/0/17)";

// Between two rounds of questions of --wait.
constexpr absl::Duration kRound = absl::Seconds(1);
// The last round may ask this long.
constexpr absl::Duration kLeast = absl::Milliseconds(100);

std::string Describe(const ServerReport& report) {
  const auto healthy =
      std::count_if(report.peers.begin(), report.peers.end(),
                    [](const PeerReport& peer) { return peer.healthy; });
  return absl::StrCat(
      report.draining ? "draining" : "ready", " graph=",
      VersionedName(report.schema.name, report.schema.content_digest),
      " layout=", ToHex(report.schema.layout_digest).substr(0, 16),
      " partitions=", absl::StrJoin(report.partitions, ","), "/",
      report.schema.num_partitions, " peers=", healthy, "/",
      report.peers.size(), " budget=", report.budget_bytes,
      absl::StrFormat(" busy=%.2f wait=%.2f", report.busy_ratio,
                      report.wait_ratio),
      " transport=", report.takes_tcp ? "tcp,grpc" : "grpc");
}

// Returns the first error if every server refuses this program's certificate,
// or it theirs: waiting does not help.
absl::Status RefusalByAll(
    const absl::StatusOr<std::vector<ServerAnswer>>& answers) {
  if (!answers.ok() || answers->empty()) return absl::OkStatus();
  for (const ServerAnswer& answer : *answers) {
    const absl::Status& status = answer.reports.status();
    if (!absl::IsUnauthenticated(status) && !absl::IsPermissionDenied(status)) {
      return absl::OkStatus();
    }
  }
  return answers->front().reports.status();
}

class StatusCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "status",
        "Print which servers of a fleet answer, and which graphs they hold.");
    app->add_option("--servers", access_.servers,
                    "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
        ->required();
    AddTlsFlags(*app, access_.tls);
    app->add_option("--graph-name", graph_, "Only this graph: NAME[@VERSION]");
    app->add_option("--timeout", timeout_, "Seconds to wait for an answer")
        ->capture_default_str();
    app->add_option("--wait", wait_,
                    "Most seconds to wait until every partition has an owner: "
                    "90s, 5m, 1h; 0: do not wait")
        ->capture_default_str();
    CLI::Option* batch =
        app->add_option("--batch", batch_,
                        "Instead: where the time of this batch went, from the "
                        "servers that made it lately: JOB/EPOCH/INDEX");
    app->add_flag("--otlp", otlp_,
                  "With --batch: as lines of OTLP/JSON, with spans")
        ->needs(batch);
    watch_flag_ =
        app->add_option("--watch", watch_,
                        "Show the fleet again after so many seconds, 2 if none "
                        "are given: 1s, 1m")
            ->expected(0, 1)
            ->excludes(batch);
    app->add_option("--count", count_,
                    "With --watch, end after so many reports; 0: never")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher& signals) override {
    ASSIGN_OR_RETURN(const absl::Duration timeout,
                     ParseSeconds("--timeout", timeout_, absl::Milliseconds(1),
                                  absl::Hours(1)));
    ASSIGN_OR_RETURN(const GraphName graph,
                     ParseGraphName("--graph-name", graph_));
    ASSIGN_OR_RETURN(const absl::Duration wait,
                     ParseSeconds("--wait", wait_, absl::ZeroDuration(),
                                  absl::Hours(24 * 7)));
    if (!batch_.empty()) return ExplainBatch(timeout);
    if (watch_flag_->count() > 0) return Watch(timeout, wait, signals);
    if (count_ != "0") return UsageError("--count goes with --watch");
    if (wait > absl::ZeroDuration()) return WaitForOwners(graph, timeout, wait);
    ASSIGN_OR_RETURN(const std::vector<ServerAnswer> answers,
                     AskServers(access_, graph, timeout));
    return Print(answers);
  }

 private:
  absl::Status ExplainBatch(absl::Duration timeout) const {
    ASSIGN_OR_RETURN(const BatchName batch, ParseBatchName(batch_));
    ASSIGN_OR_RETURN(const std::vector<BatchAnswer> answers,
                     AskForBatch(access_, batch, timeout));
    const BatchReport report = ReportBatch(answers, batch, otlp_);
    for (const std::string& line : report.lines) {
      std::printf("%s\n", line.c_str());
    }
    for (const std::string& note : report.notes) {
      std::fprintf(stderr, "%s\n", note.c_str());
    }
    return report.status;
  }

  absl::Status Watch(absl::Duration timeout, absl::Duration wait,
                     SignalWatcher& signals) const {
    if (!graph_.empty() || wait > absl::ZeroDuration()) {
      return UsageError("--watch goes with neither --wait nor --graph-name");
    }
    WatchOptions options;
    options.access = access_;
    options.timeout = timeout;
    if (!watch_.empty()) {
      ASSIGN_OR_RETURN(options.interval,
                       ParseSeconds("--watch", watch_, absl::Milliseconds(100),
                                    absl::Hours(24)));
    }
    ASSIGN_OR_RETURN(options.count, ParseWhole("--count", count_));
    options.redraw = isatty(STDOUT_FILENO) == 1;
    return WatchStatus(options, signals, [](const std::string& report) {
      std::fputs(report.c_str(), stdout);
      std::fflush(stdout);
    });
  }

  // Asks again and again; a signal ends the process meanwhile.
  absl::Status WaitForOwners(const GraphName& graph, absl::Duration timeout,
                             absl::Duration wait) const {
    WaitReporter reporter(PrintWaits("tributary status"));
    const absl::Time start = SteadyClock().Now();
    for (;;) {
      const absl::Time round = SteadyClock().Now();
      const absl::Duration left = std::max(start + wait - round, kLeast);
      const auto answers = AskServers(access_, graph, std::min(timeout, left));
      if (ExitCodeOf(answers.status()) == kExitUsage) return answers.status();
      if (const absl::Status refused = RefusalByAll(answers); !refused.ok()) {
        reporter.End();
        return refused;
      }
      const std::string missing = answers.ok() ? MissingOwners(*answers)
                                               : ShortReason(answers.status());
      if (missing.empty()) {
        reporter.End();
        (void)Print(*answers);  // servers that are not needed may be silent
        return absl::OkStatus();
      }
      const absl::Duration waited = SteadyClock().Now() - start;
      if (waited >= wait) {
        reporter.End();
        return absl::DeadlineExceededError(
            absl::StrCat("--wait ", wait_, " is over: ", missing));
      }
      reporter.Update(waited, wait, [&missing] { return missing; });
      absl::SleepFor(std::min(start + wait, round + kRound) -
                     SteadyClock().Now());
    }
  }

  static absl::Status Print(const std::vector<ServerAnswer>& answers) {
    int silent = 0;
    for (const ServerAnswer& answer : answers) {
      const std::string address = answer.address.ToString();
      if (!answer.reports.ok()) {
        ++silent;
        PrintLine(address, answer.reports.status().ToString());
        continue;
      }
      for (const ServerReport& report : *answer.reports) {
        PrintLine(address, Describe(report));
      }
    }
    if (silent == 0) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(silent, " of ", answers.size(),
                                               " servers did not answer"));
  }

  static void PrintLine(const std::string& address, const std::string& text) {
    std::printf("%s %s\n", address.c_str(), TerminalLine(text).c_str());
  }

  FleetAccess access_;
  std::string graph_;
  std::string timeout_ = "5";
  std::string wait_ = "0";
  std::string batch_;
  bool otlp_ = false;
  std::string watch_;
  std::string count_ = "0";
  CLI::Option* watch_flag_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> MakeStatusCommand() {
  return std::make_unique<StatusCommand>();
}

}  // namespace tributary
