#include "cli/graph/inspect_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/pipeline/check/inspect.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Examples:
  tributary inspect cora.graph
  tributary inspect cora.graph --json)";

class InspectCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "inspect",
        "Print statistics of a graph folder: counts, degrees, edge cut.");
    app->add_option("graph", graph_, "Graph folder")->required();
    app->add_flag("--json", json_, "One JSON object on one line");
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const auto graph, Graph::Open(graph_));
    ASSIGN_OR_RETURN(const GraphFigures figures, InspectGraph(*graph));
    const std::string text = json_ ? FiguresJson(graph->schema(), figures)
                                   : FiguresText(graph->schema(), figures);
    std::fputs(text.c_str(), stdout);
    return absl::OkStatus();
  }

 private:
  std::string graph_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

}  // namespace tributary
