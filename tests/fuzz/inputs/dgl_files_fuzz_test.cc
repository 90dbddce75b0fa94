// Fuzzes the text files of pm_dglpart, DGL's partitioner of many processes: any
// files are refused with a name among them, or give the same types, weights and
// edges to one rank as to several. An input is a digit, the number of ranks
// less one, then a text of several files: lines "=stats", "=nodes", "=edges",
// "=json", "=nfiles", "=efiles", "=a" and "=b" each start one. "@" in the lists
// is the folder, so that "@/a" is the file a.
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/mpi/dgl_files.h"
#include "partition/pipeline/mpi/dgl_nodes.h"
#include "tests/fuzz/inputs/section_files.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr int kFewLines = 3;  // so that blocks end within the files

struct FileName {
  absl::string_view title;
  const char* name;
};
constexpr FileName kFiles[] = {
    {"stats", "g_stats.txt"},
    {"nodes", "g_nodes.txt"},
    {"edges", "g_edges.txt"},
    {"json", "g.json"},
    {"nfiles", "nfiles"},
    {"efiles", "efiles"},
    {"a", "a"},
    {"b", "b"},
};

struct Nodes {
  NodeTypes types;
  std::vector<int64_t> weights;  // by node
};
using Edges = std::vector<std::pair<int64_t, int64_t>>;

// Reads the node files as `ranks` ranks do, one after another.
absl::StatusOr<Nodes> ReadNodes(const DglFiles& files, int ranks,
                                std::optional<int> weight) {
  std::vector<int64_t> first_row = {0};
  for (int rank = 0; rank < ranks; ++rank) {
    ASSIGN_OR_RETURN(LineShare lines,
                     LineShare::Open(files.nodes, rank, ranks));
    ASSIGN_OR_RETURN(const int64_t count, CountLines(std::move(lines)));
    first_row.push_back(first_row.back() + count);
  }
  RETURN_IF_ERROR(CheckNodeLines(files, first_row.back()));
  std::vector<std::vector<WeightOfRow>> boxes(ranks);
  std::vector<DglTypeSeen> seen;
  for (int rank = 0; rank < ranks; ++rank) {
    ASSIGN_OR_RETURN(LineShare lines,
                     LineShare::Open(files.nodes, rank, ranks));
    DglNodeLines nodes(std::move(lines), files,
                       NodeShares(files.num_nodes, ranks), first_row[rank],
                       weight);
    for (bool more = true; more;) {
      ASSIGN_OR_RETURN(more, nodes.Fill(kFewLines, boxes));
    }
    for (const DglTypeSeen& type : nodes.seen()) seen.push_back(type);
  }
  Nodes result;
  ASSIGN_OR_RETURN(result.types, MergeDglTypes(files, seen));
  if (!weight.has_value()) return result;
  result.weights.assign(static_cast<size_t>(files.num_nodes), -1);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const WeightOfRow& row : boxes[rank]) {
      int64_t& at = result.weights.at(row.row * ranks + rank);
      Must(at == -1, "a node has one weight");
      at = row.weight;
    }
  }
  return result;
}

absl::StatusOr<Edges> ReadEdges(const DglFiles& files, int ranks) {
  Edges edges;
  for (int rank = 0; rank < ranks; ++rank) {
    ASSIGN_OR_RETURN(DglEdgeReader reader,
                     DglEdgeReader::Open(files, rank, ranks));
    std::vector<HomogeneousEdge> block(kFewLines);
    const size_t before = edges.size();
    for (size_t count = kFewLines; count > 0;) {
      ASSIGN_OR_RETURN(count, reader.Read(absl::MakeSpan(block)));
      for (size_t i = 0; i < count; ++i) {
        edges.emplace_back(block[i].from, block[i].to);
      }
    }
    Must(reader.num_edges() == static_cast<int64_t>(edges.size() - before),
         "edges are counted");
  }
  return edges;
}

void CheckNodes(const DglFiles& files, const Nodes& nodes) {
  const std::vector<int64_t>& starts = nodes.types.starts;
  Must(starts.size() == nodes.types.names.size() + 1, "types have names");
  Must(starts.front() == 0 && starts.back() == files.num_nodes,
       "types have all nodes");
  for (size_t i = 1; i < starts.size(); ++i) {
    Must(starts[i - 1] < starts[i], "a type has nodes");
  }
  for (const int64_t weight : nodes.weights) {
    Must(weight >= 0 && weight <= INT32_MAX, "each node has a weight");
  }
}

void CheckFiles(const DglFiles& files, int ranks, const std::string& folder,
                bool lists) {
  std::optional<int> weight;
  if (files.num_weights > 0) weight = files.num_weights - 1;
  const auto nodes = ReadNodes(files, 1, weight);
  const auto shared = ReadNodes(files, ranks, weight);
  Must(nodes.ok() == shared.ok(), "ranks agree on the nodes");
  if (nodes.ok()) {
    CheckNodes(files, *nodes);
    Must(nodes->types.names == shared->types.names &&
             nodes->types.starts == shared->types.starts &&
             nodes->weights == shared->weights,
         "shares are the same nodes");
  } else {
    // A list may name any file.
    Must(lists || absl::StrContains(nodes.status().message(), folder),
         absl::StrCat("the message names a file: ", nodes.status().message()));
  }
  const auto edges = ReadEdges(files, 1);
  const auto edge_shares = ReadEdges(files, ranks);
  Must(edges.ok() == edge_shares.ok(), "ranks agree on the edges");
  if (!edges.ok()) return;
  Must(*edges == *edge_shares, "shares are the same edges");
  for (const auto& [from, to] : *edges) {
    Must(from >= 0 && from < files.num_nodes && to >= 0 && to < files.num_nodes,
         "ends are nodes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder;
  std::string node_list, edge_list;
  const auto write = [&](absl::string_view title, absl::string_view content) {
    const bool list = title == "nfiles" || title == "efiles";
    for (const FileName& file : kFiles) {
      if (file.title != title) continue;
      const std::string text =
          list ? absl::StrReplaceAll(content, {{"@", folder.path()}})
               : std::string(content);
      std::ofstream(folder.File(file.name), std::ios::binary) << text;
    }
    if (title == "nfiles") node_list = folder.File("nfiles");
    if (title == "efiles") edge_list = folder.File("efiles");
  };
  ForEachSection({reinterpret_cast<const char*>(data), size}, write);
  const auto files = FindDglFiles(folder.File("g"), node_list, edge_list);
  if (!files.ok()) {
    Must(absl::StrContains(files.status().message(), folder.path()),
         absl::StrCat("the message names a file: ", files.status().message()));
    return 0;
  }
  constexpr int kMaxRanks = 7;
  CheckFiles(*files, static_cast<uint8_t>(data[0] - '0') % kMaxRanks + 1,
             folder.path(), !node_list.empty());
  return 0;
}

}  // namespace tributary
