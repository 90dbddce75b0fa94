#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/brute_force/random_case.h"

namespace tributary {
namespace {

std::string DescribePredicates(const EdgePredicates& predicates) {
  std::string text;
  for (const EdgeCondition& condition : predicates.by_default) {
    absl::StrAppend(&text, condition.ToString(), " ");
  }
  for (const auto& [type, conditions] : predicates.by_edge_type) {
    for (const EdgeCondition& condition : conditions) {
      absl::StrAppend(&text, type, ":", condition.ToString(), " ");
    }
  }
  return text;
}

}  // namespace

std::string Describe(const RandomCase& c) {
  const SpecOptions& o = c.batch.options;
  std::string text = absl::StrCat(
      "seed ", c.seed, "; partitions ", c.graph.num_partitions, ", here {",
      absl::StrJoin(c.here, ","), "}, ", c.edges_per_reply,
      " edges a reply, wide ids ", c.graph.wide_ids, "\n");
  for (const auto& type : c.graph.node_types) {
    absl::StrAppend(&text, "node type ", type.name, ": ", type.num_nodes,
                    " nodes, x ", type.x_dim, type.scaled ? " scaled" : "",
                    ", y ", type.has_y, ", partition of each {",
                    absl::StrJoin(type.partition_of, ","), "}\n");
  }
  for (const auto& type : c.graph.edge_types) {
    absl::StrAppend(&text, "edge type ", type.src, ",", type.rel, ",", type.dst,
                    ", attributes ", type.has_attr,
                    type.scaled ? " scaled:" : ":");
    for (const auto& [u, v] : type.edges)
      absl::StrAppend(&text, " ", u, ">", v);
    for (const auto& [name, mask] : type.masks) {
      absl::StrAppend(&text, ", mask ", name, " {", absl::StrJoin(mask, ","),
                      "}");
    }
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(
      &text, "inputs of ", o.input_type, ": {",
      absl::StrJoin(c.batch.inputs, ","), "}, batch ", c.batch.index, " of ",
      o.batch_size, ", epoch ", c.batch.epoch, ", random seed ", o.random_seed,
      ", shuffle ", o.shuffle == ShuffleMode::kGlobal, ", replace ", o.replace,
      ", expand all ", o.expand == ExpandMode::kAll, ", features ",
      CollectedColumnsText(o.collect), " as ",
      std::string(FeatureDTypeName(o.feature_dtype)), ", degrees ",
      o.collect_degrees, ", without edge ids ", o.omit_edge_ids,
      ", layer dependency ", o.draws.layer_dependency, ", draw ",
      static_cast<int>(o.draws.draw), ", time ", static_cast<int>(o.draws.time),
      ", last ", static_cast<int>(o.draws.temporal_strategy), ", strict ",
      o.draws.strict, ", disjoint ", o.draws.disjoint, ", edge dir ",
      static_cast<int>(o.draws.edge_dir), ", subgraph type ",
      static_cast<int>(o.subgraph.type), ", input times {",
      absl::StrJoin(c.batch.input_time, ","), "}, predicates ",
      DescribePredicates(o.draws.edge_predicates), ", edge mask ",
      o.draws.edge_mask, "\nfanouts ",
      absl::StrJoin(o.num_neighbors.by_default, ","));
  for (const auto& [name, fanouts] : o.num_neighbors.by_edge_type) {
    absl::StrAppend(&text, ";", name, "=", absl::StrJoin(fanouts, ","));
  }
  return text + "\n";
}

}  // namespace tributary
