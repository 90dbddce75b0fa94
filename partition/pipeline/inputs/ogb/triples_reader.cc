#include "partition/pipeline/inputs/ogb/triples_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/triple_table.h"
#include "partition/pipeline/inputs/ogb/expected_tables.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/ogb/relation_names.h"

namespace tributary {
namespace {

constexpr char kEntity[] = "entity";

// Refuses options that name columns or splits, which triples do not have.
absl::Status CheckOptions(const InputOptions& options) {
  for (const NamedFile& file : NamedFiles(options)) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.flag, " ", *file.name, " with triples (", options.folder,
        "/raw/num-relation-list); allowed: none, they have no such files"));
  }
  return absl::OkStatus();
}

// Checks the numbers of nodes and relations, which the other files cannot
// confirm, against the machine's memory: a partition for a node, names and
// columns for a relation.
absl::Status CheckMemory(const std::string& raw, int64_t nodes,
                         int64_t relations) {
  constexpr double kBytesPerRelation = 1024;
  const double bytes = sizeof(uint16_t) * static_cast<double>(nodes) +
                       kBytesPerRelation * static_cast<double>(relations);
  const uint64_t memory = PhysicalMemoryBytes();
  if (bytes <= static_cast<double>(memory)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(nodes, " nodes (", raw, "num-node-list) and ", relations,
                   " relations (num-relation-list) take at least ", bytes,
                   " bytes; allowed: this machine's memory, ", memory));
}

class TriplesReader {
 public:
  TriplesReader(const InputOptions& options, const Spool& spool)
      : options_(options), spool_(spool), raw_(options.folder + "/raw/") {}

  absl::StatusOr<GraphSource> Read() && {
    graph_.heterogeneous = true;
    ASSIGN_OR_RETURN(const int64_t nodes, ReadCount(raw_ + "num-node-list"));
    ASSIGN_OR_RETURN(num_relations_, ReadCount(raw_ + "num-relation-list"));
    RETURN_IF_ERROR(CheckMemory(raw_, nodes, num_relations_));
    graph_.node_types.push_back({.name = kEntity, .num_nodes = nodes});
    ASSIGN_OR_RETURN(names_, ReadRelationNames(options_, num_relations_));
    RETURN_IF_ERROR(ReadFiles());
    AddRelations();
    return std::move(graph_);
  }

 private:
  int64_t num_nodes() const { return graph_.node_types[0].num_nodes; }

  absl::Status ReadFiles() {
    ASSIGN_OR_RETURN(const std::string path, RequireCsv(raw_ + "train"));
    ExpectedTables tables;
    tables.AddIds(raw_ + "train",
                  ReadCount(raw_ + "num-edge-list").value_or(0));
    RETURN_IF_ERROR(spool_.Expect(tables.parts()));
    ASSIGN_OR_RETURN(
        train_, ReadTripleTable(path, num_nodes(), num_relations_, spool_));
    ASSIGN_OR_RETURN(const int64_t wanted, ReadCount(raw_ + "num-edge-list"));
    int64_t found = 0;
    for (const EndColumns& ends : train_) found += ends.from->num_rows();
    if (found != wanted) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " has ", found, " rows; wanted: ", wanted, ", as ",
                       raw_, "num-edge-list says"));
    }
    for (const char* name : {"test", "valid"}) {
      ASSIGN_OR_RETURN(const std::string held_out, FindCsv(raw_ + name));
      if (held_out.empty()) continue;
      ASSIGN_OR_RETURN(auto triples,
                       ReadTripleList(held_out, num_nodes(), num_relations_));
      held_out_.emplace_back(name, std::move(triples));
    }
    return absl::OkStatus();
  }

  void AddRelations() {
    for (int64_t k = 0; k < num_relations_; ++k) {
      EdgeSource edges{.src = kEntity,
                       .rel = names_[k],
                       .dst = kEntity,
                       .dedupe = options_.dedupe};
      edges.from = train_[k].from;
      edges.to = train_[k].to;
      AddSplits(k, edges);
      graph_.edge_types.push_back(edges);
      if (!options_.add_reverse) continue;
      edges.rel = "rev_" + edges.rel;
      edges.reverse = true;
      std::swap(edges.from, edges.to);
      graph_.edge_types.push_back(std::move(edges));
    }
    absl::c_sort(
        graph_.edge_types,
        [](const EdgeSource& a, const EdgeSource& b) { return a.rel < b.rel; });
    SortSplits(graph_.splits);
  }

  // Adds splits from the files that have triples of the relation.
  void AddSplits(int64_t relation, const EdgeSource& edges) {
    if (edges.num_rows() > 0) {
      SplitSource train{.type = edges.name(), .name = "train"};
      train.rows.resize(static_cast<size_t>(edges.num_rows()));
      absl::c_iota(train.rows, 0);
      graph_.splits.push_back(std::move(train));
    }
    for (auto& [name, triples] : held_out_) {
      CsvEdgeEnds& ends = triples[relation];
      if (ends.from.empty()) continue;
      graph_.splits.push_back({.type = edges.name(),
                               .name = name,
                               .from = std::move(ends.from),
                               .to = std::move(ends.to)});
    }
  }

  const InputOptions& options_;
  const Spool& spool_;
  const std::string raw_;
  int64_t num_relations_ = 0;
  std::vector<std::string> names_;  // by relation
  std::vector<EndColumns> train_;   // edges by relation
  std::vector<std::pair<std::string, std::vector<CsvEdgeEnds>>> held_out_;
  GraphSource graph_;
};

}  // namespace

absl::StatusOr<GraphSource> ReadTriples(const InputOptions& options,
                                        const Spool& spool) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(ListSchemes(options.folder + "/split", options).status());
  return TriplesReader(options, spool).Read();
}

}  // namespace tributary
