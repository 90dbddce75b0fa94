#include "cli/fleet/tensors_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/query/fleet_access.h"
#include "cli/query/tensor_query.h"
#include "common/identity/tls_flags.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(list prints one line per server, and below it one per tensor that it holds rows
of:
  127.0.0.1:50051 memory=67108864/1073741824 tensors=1
    emb job=default graph=b2c1e0aa90f3 rows=2708 dim=64 float32 optimizer=adam
      local=1408 written=900 bytes=1081344 attempt=1763 persistent
drop ends the tensor NAME of a job on all servers; its rows are lost. Fails when a
server does not answer.
Examples:
  tributary tensors list --servers 10.0.0.1:50051,10.0.0.2:50051 --json
  tributary tensors drop emb --job mag --servers file:servers.txt)";

class TensorsCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "tensors", "List or drop the mutable tensors that servers hold.");
    app->add_option("ACTION", action_, "list or drop")
        ->required()
        ->check(CLI::IsMember({"list", "drop"}));
    app->add_option("NAME", name_, "The tensor to drop");
    app->add_option("--servers", access_.servers,
                    "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
        ->required();
    AddTlsFlags(*app, access_.tls);
    app->add_option("--job", job_,
                    "The job (--job of the trainer); list: all jobs without "
                    "it, drop: 'default'");
    app->add_flag("--json", json_, "Print one JSON object");
    app->add_option("--timeout", timeout_, "Seconds to wait for the servers")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const absl::Duration timeout,
                     ParseSeconds("--timeout", timeout_, absl::Milliseconds(1),
                                  absl::Hours(1)));
    const bool drop = action_ == "drop";
    if (drop == name_.empty()) {
      return UsageError(drop ? "drop: which tensor? allowed: drop NAME"
                             : "list takes no NAME; allowed: list, drop NAME");
    }
    if (drop) return Drop(timeout);
    ASSIGN_OR_RETURN(const auto answers, AskForTensors(access_, job_, timeout));
    return Print(answers);
  }

 private:
  absl::Status Drop(absl::Duration timeout) const {
    ASSIGN_OR_RETURN(
        const int servers,
        DropTensors(access_, job_.empty() ? "default" : job_, name_, timeout));
    std::printf(json_ ? "{\"dropped_on\":%d}\n" : "dropped on %d servers\n",
                servers);
    return absl::OkStatus();
  }

  absl::Status Print(const std::vector<TensorAnswer>& answers) const {
    int silent = 0;
    if (json_) std::printf("%s\n", TensorsToJson(answers).c_str());
    for (const TensorAnswer& answer : answers) {
      if (!answer.tensors.ok()) ++silent;
      if (!json_) PrintAnswer(answer);
    }
    if (silent == 0) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(silent, " of ", answers.size(),
                                               " servers did not answer"));
  }

  static void PrintAnswer(const TensorAnswer& answer) {
    const auto& told = answer.tensors;
    const std::string head =
        told.ok() ? absl::StrCat("memory=", told->memory_used(), "/",
                                 told->memory_limit(),
                                 " tensors=", told->tensors_size())
                  : told.status().ToString();
    std::printf("%s %s\n", answer.address.c_str(), TerminalLine(head).c_str());
    if (!told.ok()) return;
    for (const auto& tensor : told->tensors()) {
      std::printf("  %s\n", TerminalLine(DescribeTensor(tensor)).c_str());
    }
  }

  std::string action_;
  std::string name_;
  FleetAccess access_;
  std::string job_;
  bool json_ = false;
  std::string timeout_ = "5";
};

}  // namespace

std::unique_ptr<Command> MakeTensorsCommand() {
  return std::make_unique<TensorsCommand>();
}

}  // namespace tributary
