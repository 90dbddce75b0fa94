#include "partition/pipeline/inputs/triples_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv_table.h"
#include "partition/pipeline/inputs/edge_split_input.h"
#include "partition/pipeline/inputs/ogb_files.h"

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

// Checks that nodes and relations fit into memory. The other files cannot
// confirm these numbers, so the memory that they take at least is compared with
// the machine's.
absl::Status CheckMemory(int64_t nodes, int64_t relations, bool add_reverse) {
  const double bytes = sizeof(uint64_t) * static_cast<double>(nodes + 1) *
                       static_cast<double>(relations) * (add_reverse ? 2 : 1);
  const uint64_t memory = PhysicalMemoryBytes();
  if (bytes <= static_cast<double>(memory)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(nodes, " nodes (num-node-list) in ", relations,
                   " relations (num-relation-list) take at least ", bytes,
                   " bytes; allowed: this machine's memory, ", memory));
}

class TriplesReader {
 public:
  explicit TriplesReader(const InputOptions& options)
      : options_(options), raw_(options.folder + "/raw/") {}

  absl::StatusOr<Input> Read() && {
    input_.content.heterogeneous = true;
    ASSIGN_OR_RETURN(const int64_t nodes, ReadCount(raw_ + "num-node-list"));
    ASSIGN_OR_RETURN(num_relations_, ReadCount(raw_ + "num-relation-list"));
    RETURN_IF_ERROR(CheckMemory(nodes, num_relations_, options_.add_reverse));
    NodeContent entities;
    entities.name = kEntity;
    entities.num_nodes = nodes;
    input_.content.node_types.push_back(std::move(entities));
    RETURN_IF_ERROR(ReadFiles());
    RETURN_IF_ERROR(AddRelations());
    return std::move(input_);
  }

 private:
  int64_t num_nodes() const { return input_.content.node_types[0].num_nodes; }

  absl::Status ReadFiles() {
    ASSIGN_OR_RETURN(const std::string path, RequireCsv(raw_ + "train"));
    ASSIGN_OR_RETURN(train_, ReadTripleList(path, num_nodes(), num_relations_));
    ASSIGN_OR_RETURN(const int64_t wanted, ReadCount(raw_ + "num-edge-list"));
    int64_t found = 0;
    for (const EdgeRows& rows : train_) {
      found += static_cast<int64_t>(rows.src.size());
    }
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

  absl::Status AddRelations() {
    for (int64_t k = 0; k < num_relations_; ++k) {
      const std::string rel = absl::StrCat("r", k);
      EdgeRows& rows = train_[k];
      std::vector<EdgeSplitInput> splits = SplitsOf(k);
      if (options_.add_reverse) {
        RETURN_IF_ERROR(AddEdges("rev_" + rel, {rows.dst, rows.src}));
        input_.content.edge_types.back().reverse = true;
      }
      RETURN_IF_ERROR(AddEdges(rel, std::move(rows)));
      AddEdgeSplits(splits, input_.content.edge_types.back(), input_.content);
    }
    absl::c_sort(input_.content.edge_types,
                 [](const EdgeContent& a, const EdgeContent& b) {
                   return a.rel < b.rel;
                 });
    return absl::OkStatus();
  }

  // Adds splits from the files that have triples of the relation.
  std::vector<EdgeSplitInput> SplitsOf(int64_t relation) {
    std::vector<EdgeSplitInput> splits;
    const EdgeRows& train = train_[relation];
    if (!train.src.empty()) {
      std::vector<int64_t> rows(train.src.size());
      absl::c_iota(rows, 0);
      splits.push_back({"", "train", train, std::move(rows)});
    }
    for (auto& [name, triples] : held_out_) {
      if (triples[relation].src.empty()) continue;
      splits.push_back({"", name, std::move(triples[relation]), {}});
    }
    return splits;
  }

  absl::Status AddEdges(const std::string& rel, EdgeRows rows) {
    EdgeContent edges;
    edges.src = edges.dst = kEntity;
    edges.rel = rel;
    ASSIGN_OR_RETURN(
        edges.in_edges,
        Adjacency::FromRows(std::move(rows), num_nodes(), num_nodes(),
                            {.add_reverse = false, .dedupe = options_.dedupe}));
    input_.content.edge_types.push_back(std::move(edges));
    return absl::OkStatus();
  }

  const InputOptions& options_;
  const std::string raw_;
  int64_t num_relations_ = 0;
  std::vector<EdgeRows> train_;  // edges by relation
  std::vector<std::pair<std::string, std::vector<EdgeRows>>> held_out_;
  Input input_;
};

}  // namespace

absl::StatusOr<Input> ReadTriples(const InputOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(ListSchemes(options.folder + "/split", options).status());
  return TriplesReader(options).Read();
}

}  // namespace tributary
