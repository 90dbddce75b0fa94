#include "cli/graph/inspect_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/graph/presample.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/pipeline/check/inspect.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Examples:
  tributary inspect cora.graph
  tributary inspect cora.graph --json
  tributary inspect cora.graph --presample 15,10 --batches 20)";

class InspectCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "inspect",
        "Print statistics of a graph folder: counts, degrees, edge cut, "
        "balance, and the share of neighbours in other partitions.");
    app->add_option("graph", graph_, "Graph folder")->required();
    app->add_flag("--json", json_, "One JSON object on one line");
    app->add_option("--presample", presample_.num_neighbors,
                    "Also sample batches with these fanouts, nearest hop "
                    "first, and tell which neighbours are remote");
    app->add_option("--batches", presample_.batches,
                    "Batches to sample in each order of inputs")
        ->capture_default_str();
    app->add_option("--batch-size", presample_.batch_size, "Inputs of each")
        ->capture_default_str();
    app->add_option("--input-nodes", presample_.input_nodes,
                    "[TYPE:]SPLIT of the inputs")
        ->capture_default_str();
    app->add_option("--random-seed", presample_.random_seed,
                    "Seed of the sampling")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const auto graph, Graph::Open(graph_));
    ASSIGN_OR_RETURN(const GraphFigures figures, InspectGraph(*graph));
    std::optional<Presampled> presampled;
    if (!presample_.num_neighbors.empty()) {
      SetLogLevel(LogLevel::kOff);  // errors are returned as the status
      ASSIGN_OR_RETURN(presampled, Presample(graph_, *graph, presample_));
    }
    std::string text = json_ ? FiguresJson(graph->schema(), figures)
                             : FiguresText(graph->schema(), figures);
    if (presampled.has_value() && json_) {
      // Before the object's end, "}\n".
      text.insert(text.size() - 2,
                  absl::StrCat(",\"presample\":", PresampledJson(*presampled)));
    } else if (presampled.has_value()) {
      text += PresampledText(*presampled);
    }
    std::fputs(text.c_str(), stdout);
    return absl::OkStatus();
  }

 private:
  std::string graph_;
  PresampleArguments presample_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

}  // namespace tributary
