#include "cli/graph/inspect_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/graph/presample.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/format/graph.h"
#include "partition/format/hot_lists.h"
#include "partition/pipeline/check/inspect.h"

namespace tributary {
namespace {

// Returns a line for each list.
std::string HotListsText(const GraphSchema& schema, const HotLists& lists) {
  std::string text;
  for (const auto& list : lists) {
    absl::StrAppend(&text, "  hot list ", list->name(), " ",
                    ToHex(list->digest()), ":");
    const char* before = " ";
    for (size_t t = 0; t < schema.node_types.size(); ++t) {
      const HotList::Nodes* nodes = list->nodes(static_cast<int>(t));
      if (nodes == nullptr) continue;
      absl::StrAppend(&text, before, schema.node_types[t].name, " ",
                      nodes->order.size(), " rows");
      before = ", ";
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string HotListsJson(const GraphSchema& schema, const HotLists& lists) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& list : lists) {
    auto rows = nlohmann::ordered_json::object();
    for (size_t t = 0; t < schema.node_types.size(); ++t) {
      const HotList::Nodes* nodes = list->nodes(static_cast<int>(t));
      if (nodes == nullptr) continue;
      rows[schema.node_types[t].name] = nodes->order.size();
    }
    json.push_back({{"name", list->name()},
                    {"digest", ToHex(list->digest())},
                    {"rows", std::move(rows)}});
  }
  return json.dump();
}

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
        "balance, the share of neighbours in other partitions, and hot "
        "lists.");
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
    ASSIGN_OR_RETURN(const HotLists lists,
                     OpenHotLists(graph_, graph->schema(), /*verify=*/false));
    if (json_) {
      text.insert(text.size() - 2,
                  absl::StrCat(",\"hot_lists\":",
                               HotListsJson(graph->schema(), lists)));
    } else {
      text += HotListsText(graph->schema(), lists);
    }
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
