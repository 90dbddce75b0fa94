#include "partition/pipeline/inputs/edge_split_input.h"

#include <tuple>

#include "absl/algorithm/container.h"

namespace tributary {
namespace {

// Returns the first position of `node`'s in-edges that is not before `edge`.
uint64_t LowerBound(const Adjacency& in_edges, int64_t node, InEdge edge) {
  uint64_t from = in_edges.indptr()[node], to = in_edges.indptr()[node + 1];
  while (from < to) {
    const uint64_t middle = from + (to - from) / 2;
    const InEdge found = in_edges.edge(middle);
    const bool before = found.neighbor != edge.neighbor
                            ? found.neighbor < edge.neighbor
                            : found.edge_id < edge.edge_id;
    if (before) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

// Returns the lowest id of the edges from `src` to `dst` that is not below
// `least`; -1 if there is none.
int64_t FindId(const Adjacency& in_edges, int64_t src, int64_t dst,
               int64_t least) {
  const uint64_t at = LowerBound(in_edges, dst, {src, least});
  if (at == in_edges.indptr()[dst + 1]) return -1;
  const InEdge found = in_edges.edge(at);
  return found.neighbor == src ? found.edge_id : -1;
}

SplitContent ToSplitContent(const EdgeSplitInput& split,
                            const EdgeContent& edges) {
  const bool doubled = edges.attr_by == EdgeContent::AttrBy::kHalfEdgeId;
  SplitContent content{split.scheme, edges.name(), split.name, {}};
  for (size_t i = 0; i < split.ends.src.size(); ++i) {
    const int64_t src = split.ends.src[i], dst = split.ends.dst[i];
    int64_t id = FindId(edges.in_edges, src, dst, 0);
    if (!split.rows.empty()) {
      const int64_t own = split.rows[i] * (doubled ? 2 : 1);
      // Of parallel edges that were merged, the one with the lowest id was
      // kept.
      if (FindId(edges.in_edges, src, dst, own) == own) id = own;
    }
    content.ids.insert(content.ids.end(), {src, dst, id});
  }
  return content;
}

}  // namespace

void FillEndsFromRows(const EdgeRows& edges,
                      absl::Span<EdgeSplitInput> splits) {
  for (EdgeSplitInput& split : splits) {
    for (int64_t row : split.rows) {
      split.ends.src.push_back(edges.src[row]);
      split.ends.dst.push_back(edges.dst[row]);
    }
  }
}

void AddEdgeSplits(absl::Span<const EdgeSplitInput> splits,
                   const EdgeContent& edges, GraphContent& content) {
  for (const EdgeSplitInput& split : splits) {
    content.splits.push_back(ToSplitContent(split, edges));
  }
  absl::c_sort(content.splits,
               [](const SplitContent& a, const SplitContent& b) {
                 return std::tie(a.scheme, a.type, a.name) <
                        std::tie(b.scheme, b.type, b.name);
               });
}

}  // namespace tributary
