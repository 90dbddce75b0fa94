#include "cli/graph/verify_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "cli/graph/input_options.h"
#include "common/text/status.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Reads every byte: checksums, structure, digests. With --against, give the
flags that the graph was partitioned with.
Examples:
  tributary verify cora.graph
  tributary verify cora.graph --against data/cora --add-reverse)";

class VerifyCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "verify",
        "Check a graph folder, and optionally compare it with its input.");
    app->add_option("graph", graph_, "Graph folder")->required();
    app->add_option("--against", input_.folder,
                    "Folder or file that it was made from");
    AddInputFlags(*app, input_);
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const GraphContent content, VerifyGraph(graph_));
    const bool against =
        !input_.folder.empty() || input_.layout.config.has_value();
    if (against) {
      ASSIGN_OR_RETURN(const Input input, ReadInput(input_));
      RETURN_IF_ERROR(CompareContent(content, input.content));
    }
    std::printf("verified %s%s%s\n", graph_.c_str(), against ? " against " : "",
                input_.folder.empty()
                    ? input_.layout.config.value_or("").c_str()
                    : input_.folder.c_str());
    return absl::OkStatus();
  }

 private:
  std::string graph_;
  InputOptions input_;
};

}  // namespace

std::unique_ptr<Command> MakeVerifyCommand() {
  return std::make_unique<VerifyCommand>();
}

}  // namespace tributary
