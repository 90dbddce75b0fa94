#include "cli/graph/input_options.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/graph/layout_options.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"

namespace tributary {

void AddInputFlags(CLI::App& app, InputOptions& options) {
  app.add_option("--format", options.format,
                 absl::StrCat("Layout of the input: ",
                              absl::StrJoin(InputFormats(), ", ")))
      ->check(CLI::IsMember(InputFormats()))
      ->capture_default_str();
  app.add_flag("--add-reverse", options.add_reverse,
               "Row i becomes edge 2i and, reversed, edge 2i+1; typed: "
               "relation R gets a reverse rev_R with the same ids");
  app.add_flag("--dedupe", options.dedupe,
               "Keep, of edges with the same ends, the one of the lowest id");
  app.add_option_function<std::string>(
         "--feature-dtype",
         [&options](const std::string& name) {
           options.feature_dtype = name == "int8"      ? DType::kInt8
                                   : name == "float16" ? DType::kFloat16
                                                       : DType::kBFloat16;
         },
         "Store features of nodes and edges as float16 or bfloat16, rounded "
         "to the nearest, or as int8 with a scale for each row")
      ->check(CLI::IsMember({"float16", "bfloat16", "int8"}));
  app.add_flag("--out-edges", options.out_edges,
               "Also store edges by their sources, for --edge-dir out and "
               "both; for typed graphs use --add-reverse");
  app.add_option("--edge-weight", options.edge_weight,
                 "NAME of a weight for each edge. ogb: the file "
                 "raw/NAME.csv.gz, or an array of raw/data.npz; edge-list: a "
                 "column, or an array (w.npy, graph.npz:w); dgl-chunked: an "
                 "array of edges; npy has the array edge_weight without it");
  app.add_option("--edge-time", options.edge_time,
                 "NAME of a time for each edge, as --edge-weight; npy: the "
                 "array edge_time");
  app.add_option("--node-time", options.node_time,
                 "NAME of a time for each node, likewise; npy: the array "
                 "node_time");
  app.add_option("--edge-masks", options.edge_masks,
                 "NAME,.. of masks, 0 or 1 for each edge, to sample by: "
                 "files, columns or arrays, as --edge-weight; also of npy")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--edge-splits", options.edge_splits,
                 "Split schemes whose numbers are rows of edges, not nodes, "
                 "of ogb")
      ->delimiter(',')
      ->allow_extra_args(false);
  AddLayoutFlags(app, options.layout);
  app.add_option("--relation-names", options.relation_names,
                 "Names of a knowledge graph's relations: file "
                 "(raw/relation.csv.gz, if there), or numbers (r0, r1, ...)")
      ->check(CLI::IsMember({"file", "numbers"}))
      ->capture_default_str();
}

std::string InputFlagsText(const InputOptions& options) {
  std::string text;
  if (options.add_reverse) text += " --add-reverse";
  if (options.dedupe) text += " --dedupe";
  if (options.feature_dtype.has_value()) {
    absl::StrAppend(&text, " --feature-dtype ",
                    std::string(DTypeName(*options.feature_dtype)));
  }
  if (options.out_edges) text += " --out-edges";
  const auto add = [&](const char* flag,
                       const std::optional<std::string>& name) {
    if (name.has_value()) absl::StrAppend(&text, " ", flag, " ", *name);
  };
  add("--edge-weight", options.edge_weight);
  add("--edge-time", options.edge_time);
  add("--node-time", options.node_time);
  const auto add_list = [&](const char* flag,
                            const std::vector<std::string>& names) {
    if (names.empty()) return;
    absl::StrAppend(&text, " ", flag, " ", absl::StrJoin(names, ","));
  };
  add_list("--edge-masks", options.edge_masks);
  add_list("--edge-splits", options.edge_splits);
  if (options.relation_names != "file") {
    absl::StrAppend(&text, " --relation-names ", options.relation_names);
  }
  return text + LayoutMadeBy(options.layout);
}

void AddPartitionFlags(CLI::App& app, PartitionFlags& flags) {
  app.add_option("--num-parts", flags.num_parts, "Number of partitions")
      ->capture_default_str();
  app.add_option("--method", flags.method,
                 "How nodes are placed: random, metis (few edges cut, in "
                 "memory), ldg (fewer than random, in one pass), assignment")
      ->capture_default_str();
  app.add_option("--balance", flags.balance,
                 "What partitions have equal shares of, for metis and ldg: "
                 "nodes,edges,train,types; default: nodes");
  app.add_option("--imbalance", flags.imbalance,
                 "The largest share of a partition, for metis and ldg, in "
                 "means; default: 1.03 for metis, 1.05 for ldg");
  app.add_option("--objective", flags.objective,
                 "What metis makes small: cut (edges between partitions) or "
                 "volume (nodes that other partitions need)")
      ->capture_default_str();
  app.add_option("--assignment", flags.assignment,
                 "Partition of each node: FILE.npy or a text of one number a "
                 "line; by type: a folder with TYPE.npy");
  app.add_flag("--neighbor-ids", flags.neighbor_ids,
               "Also store edges' sources by original id, which some kinds of "
               "sampling need");
  app.add_flag("--degrees", flags.degrees,
               "Store nodes' degrees, which negatives by degree and "
               "--collect-degrees need");
  app.add_flag("--edge-index", flags.edge_index,
               "Store where edges are by their ids, which look-ups by edge id "
               "need: FindEdges, eid2partid, edge data");
}

std::string StoredFlagsText(const PartitionFlags& flags) {
  return absl::StrCat(flags.neighbor_ids ? " --neighbor-ids" : "",
                      flags.degrees ? " --degrees" : "",
                      flags.edge_index ? " --edge-index" : "");
}

namespace {

absl::Status AsUsage(const absl::Status& status) {
  return status.ok() ? status : UsageError(status.message());
}

absl::Status ReadMethodFlags(const PartitionFlags& flags,
                             PartitionOptions& options) {
  if (!flags.balance.empty()) {
    const auto balance = ParseBalance(flags.balance);
    RETURN_IF_ERROR(AsUsage(balance.status()));
    options.balance = *balance;
  }
  if (!flags.imbalance.empty()) {
    ASSIGN_OR_RETURN(const double imbalance,
                     ParseReal("--imbalance", flags.imbalance, 1.001, 100));
    options.imbalance_permille =
        static_cast<uint32_t>(std::lround(imbalance * 1000));
  }
  ASSIGN_OR_RETURN(
      const size_t objective,
      ParseChoice("--objective", flags.objective, {"cut", "volume"}));
  options.minimize_volume = objective == 1;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PartitionOptions> ReadPartitionFlags(
    const PartitionFlags& flags) {
  PartitionOptions options;
  options.method = flags.method;
  options.assignment = flags.assignment;
  if (!flags.assignment.empty() && flags.method == PartitionFlags().method) {
    options.method = "assignment";
  }
  ASSIGN_OR_RETURN(
      const uint64_t parts,
      ParseWhole("--num-parts", flags.num_parts, 1, kMaxPartitions));
  options.num_partitions = static_cast<uint32_t>(parts);
  ASSIGN_OR_RETURN(options.random_seed,
                   ParseWhole("--random-seed", flags.random_seed));
  RETURN_IF_ERROR(ReadMethodFlags(flags, options));
  RETURN_IF_ERROR(AsUsage(MakePartitioner(options.method).status()));
  RETURN_IF_ERROR(AsUsage(CheckPartitionOptions(options)));
  return options;
}

absl::Status CheckOutIsFree(const std::string& folder) {
  if (folder.empty()) {
    return UsageError("--out \"\"\nallowed: a folder that does not exist");
  }
  std::error_code error;
  const auto type = std::filesystem::symlink_status(folder, error).type();
  if (type == std::filesystem::file_type::not_found) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "--out ", folder, " exists; remove it or name a folder that does not"));
}

void PrintWritten(const std::string& folder, const GraphSchema& schema) {
  std::printf("wrote %s nodes=%lld edges=%lld partitions=%u content=%s\n",
              folder.c_str(), static_cast<long long>(schema.NumNodes()),
              static_cast<long long>(schema.NumEdges()), schema.num_partitions,
              ToHex(schema.content_digest).c_str());
}

}  // namespace tributary
