#include "partition/pipeline/inputs/ogb/typed_graph.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/ogb/typed_splits.h"
#include "partition/schema/schema_check.h"

namespace tributary {

absl::Status TypedGraph::ReadNodeSplits(
    absl::FunctionRef<absl::Status(const std::string& folder)> look) {
  const std::string root = options_.folder + "/split";
  ASSIGN_OR_RETURN(schemes_, ListSchemes(root, options_));
  RETURN_IF_ERROR(CheckNoPickledSchemes(root, schemes_));
  for (const std::string& scheme : schemes_) {
    RETURN_IF_ERROR(CheckFileName(scheme));
    if (IsEdgeScheme(options_, scheme)) continue;
    const std::string folder = absl::StrCat(root, "/", scheme);
    RETURN_IF_ERROR(look(folder));
    ASSIGN_OR_RETURN(auto splits,
                     ReadTypeSplits(folder, scheme, types(), graph_.notes));
    absl::c_move(splits, std::back_inserter(graph_.splits));
  }
  return absl::OkStatus();
}

absl::Status TypedGraph::AddRelation(const Relation& relation, int64_t count,
                                     EdgeSource edges) {
  const EdgeSplitType type{relation.name(),
                           types()[relation.src_type].num_nodes,
                           types()[relation.dst_type].num_nodes, count};
  for (const std::string& scheme : schemes_) {
    // split/<scheme>/<head>___<relation>___<tail>
    const std::string folder = absl::StrCat(options_.folder, "/split/", scheme,
                                            "/", relation.folder());
    ASSIGN_OR_RETURN(auto splits, ReadEdgeSplitFiles(folder, scheme, type,
                                                     /*rows=*/true));
    absl::c_move(splits, std::back_inserter(graph_.splits));
  }
  AddEdges(relation, edges);
  if (!options_.add_reverse) return absl::OkStatus();
  std::swap(edges.from, edges.to);
  AddEdges(relation.Reverse(), std::move(edges));
  return absl::OkStatus();
}

void TypedGraph::AddEdges(const Relation& relation, EdgeSource edges) {
  edges.src = relation.src;
  edges.rel = relation.rel;
  edges.dst = relation.dst;
  edges.src_type = relation.src_type;
  edges.dst_type = relation.dst_type;
  edges.reverse = relation.reverse;
  graph_.edge_types.push_back(std::move(edges));
}

GraphSource TypedGraph::Finish() && {
  absl::c_sort(graph_.edge_types, [](const EdgeSource& a, const EdgeSource& b) {
    return std::tie(a.src, a.rel, a.dst) < std::tie(b.src, b.rel, b.dst);
  });
  SortSplits(graph_.splits);
  return std::move(graph_);
}

}  // namespace tributary
