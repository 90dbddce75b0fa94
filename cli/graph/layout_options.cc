#include "cli/graph/layout_options.h"

#include <CLI/CLI.hpp>

#include <filesystem>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr char kGroup[] =
    "Edge lists (COLUMN: a name of the header, or 0, 1, ...)";

}  // namespace

void AddLayoutFlags(CLI::App& app, LayoutFlags& flags) {
  app.add_option("--config", flags.config,
                 "FILE in JSON that says where the graph is, for --format "
                 "edge-list and npy (docs/data.md)")
      ->type_name("FILE");
  const auto add = [&](const char* name, auto& value, const char* type,
                       const char* help) {
    return app.add_option(name, value, help)->type_name(type)->group(kGroup);
  };
  const auto add_list = [&](const char* name, std::vector<std::string>& value,
                            const char* type, const char* help) {
    add(name, value, type, help)->delimiter(',')->allow_extra_args(false);
  };
  add("--src", flags.src, "COLUMN",
      "Source of an edge; default: by the header, or 0");
  add("--dst", flags.dst, "COLUMN",
      "Destination of an edge; default: by the header, or 1");
  add_list("--edge-features", flags.edge_features, "COLUMN,..",
           "Features of edges; f* are all columns whose names begin with f; "
           "or an array, x.npy; dgl-chunked: the array NAME");
  add_list("--nodes", flags.node_files, "FILE,..", "Table with a row per node");
  add("--node-id", flags.node_id, "COLUMN",
      "Id of a node; default: id, node_id, node, or 0");
  add_list("--features", flags.features, "COLUMN,..",
           "Features of nodes, or x.npy; dgl-chunked: the array NAME");
  add_list("--labels", flags.labels, "COLUMN,..",
           "Labels of nodes, or y.npy; dgl-chunked: the array NAME");
  add("--split", flags.split, "COLUMN",
      "Split of a node: train, valid, test, or nothing");
  add("--ids", flags.ids, "KIND",
      "dense: numbers from 0, kept; number, string: other ids, numbered in "
      "their order and stored; default: auto");
  add("--num-nodes", flags.num_nodes, "N",
      "Number of nodes, for dense ids; default: the largest id + 1");
  add("--delimiter", flags.delimiter, "CHAR",
      "comma, tab, semicolon, pipe, space, or itself; default: by the suffix");
  add("--header", flags.header, "yes|no",
      "Whether files begin with the columns' names; default: by their first "
      "lines");
}

std::string LayoutMadeBy(const LayoutFlags& flags) {
  std::string text = LayoutFlagsText(flags);
  if (flags.config.has_value()) {
    const std::filesystem::path path(*flags.config);
    absl::StrAppend(&text, " --config ", path.filename().string());
  }
  return text;
}

}  // namespace tributary
