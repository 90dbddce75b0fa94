#include "partition/writer/adjacency.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Wide = unsigned __int128;

// Each piece reads all rows and keeps its own destinations, so that threads
// share nothing; the more pieces, the more often the rows are read.
constexpr size_t kMaxPieces = 8;
constexpr size_t kSortGrain = 4096;

struct RowView {
  const std::vector<int64_t>& src;
  const std::vector<int64_t>& dst;
  bool add_reverse;
};

// Calls f(destination, source, edge id) for each edge whose destination lies
// in [begin, end), by ascending edge id.
template <typename F>
void ForEachEdgeInto(const RowView& rows, uint64_t begin, uint64_t end, F f) {
  const uint64_t size = end - begin;
  const int shift = rows.add_reverse ? 1 : 0;
  for (uint64_t i = 0; i < rows.src.size(); ++i) {
    const auto src = static_cast<uint64_t>(rows.src[i]);
    const auto dst = static_cast<uint64_t>(rows.dst[i]);
    if (dst - begin < size) f(dst, src, i << shift);
    if (rows.add_reverse && src - begin < size) f(src, dst, i << 1 | 1);
  }
}

absl::Status CheckEnds(const std::vector<int64_t>& ends, int64_t num_nodes,
                       const char* which) {
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] >= 0 && ends[i] < num_nodes) continue;
    return absl::OutOfRangeError(
        absl::StrCat("edge row ", i, ": ", which, " ", ends[i],
                     " is no node; ids are 0 to ", num_nodes, " - 1"));
  }
  return absl::OkStatus();
}

size_t GrainFor(size_t num_dst) {
  return std::max<size_t>(4096, (num_dst + kMaxPieces - 1) / kMaxPieces);
}

// Returns indptr, given the number of edges into each node.
absl::Status CountDegrees(const RowView& rows, std::vector<uint64_t>& indptr) {
  const size_t num_dst = indptr.size() - 1;
  RETURN_IF_ERROR(
      ParallelFor(num_dst, GrainFor(num_dst), [&](size_t begin, size_t end) {
        ForEachEdgeInto(
            rows, begin, end,
            [&](uint64_t dst, uint64_t, uint64_t) { ++indptr[dst + 1]; });
        return absl::OkStatus();
      }));
  for (size_t i = 0; i < num_dst; ++i) indptr[i + 1] += indptr[i];
  return absl::OkStatus();
}

// Packs each node's edges as (source << kBits | id), so that sorting the
// integers gives canonical order.
template <typename Packed>
absl::Status ScatterAndSort(const RowView& rows,
                            const std::vector<uint64_t>& indptr,
                            std::vector<Packed>& edges) {
  constexpr int kBits = sizeof(Packed) * 4;
  const size_t num_dst = indptr.size() - 1;
  edges.resize(indptr.back());
  std::vector<uint64_t> next(indptr.begin(), indptr.end() - 1);
  RETURN_IF_ERROR(
      ParallelFor(num_dst, GrainFor(num_dst), [&](size_t begin, size_t end) {
        ForEachEdgeInto(rows, begin, end,
                        [&](uint64_t dst, uint64_t src, uint64_t id) {
                          edges[next[dst]++] = Packed{src} << kBits | id;
                        });
        return absl::OkStatus();
      }));
  return ParallelFor(num_dst, kSortGrain, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      std::sort(edges.begin() + indptr[v], edges.begin() + indptr[v + 1]);
    }
    return absl::OkStatus();
  });
}

// Keeps the first edge of each (source, destination), which has the lowest id.
template <typename Packed>
void Dedupe(std::vector<uint64_t>& indptr, std::vector<Packed>& edges) {
  constexpr int kBits = sizeof(Packed) * 4;
  uint64_t kept = 0, begin = 0;
  for (size_t v = 0; v + 1 < indptr.size(); ++v) {
    const uint64_t end = indptr[v + 1];
    for (uint64_t i = begin; i < end; ++i) {
      if (i > begin && edges[i] >> kBits == edges[i - 1] >> kBits) continue;
      edges[kept++] = edges[i];
    }
    begin = end;
    indptr[v + 1] = kept;
  }
  edges.resize(kept);
  edges.shrink_to_fit();
}

bool FitsNarrow(int64_t num_src, uint64_t num_edge_ids) {
  constexpr uint64_t kLimit = uint64_t{1} << 32;
  return static_cast<uint64_t>(num_src) <= kLimit && num_edge_ids <= kLimit;
}

}  // namespace

absl::StatusOr<Adjacency> Adjacency::FromRows(EdgeRows rows, int64_t num_src,
                                              int64_t num_dst,
                                              const AdjacencyOptions& options) {
  RETURN_IF_ERROR(CheckEnds(rows.src, num_src, "source"));
  RETURN_IF_ERROR(CheckEnds(rows.dst, num_dst, "destination"));
  if (options.add_reverse && num_src != num_dst) {
    return absl::InvalidArgumentError(
        "add_reverse within one edge type needs equal end types");
  }
  const RowView view{rows.src, rows.dst, options.add_reverse};
  Adjacency result;
  result.indptr_.assign(static_cast<size_t>(num_dst) + 1, 0);
  RETURN_IF_ERROR(CountDegrees(view, result.indptr_));
  const auto build = [&](auto& edges) {
    RETURN_IF_ERROR(ScatterAndSort(view, result.indptr_, edges));
    rows = EdgeRows();
    if (options.dedupe) Dedupe(result.indptr_, edges);
    return absl::OkStatus();
  };
  result.wide_ = !FitsNarrow(num_src, result.indptr_.back());
  RETURN_IF_ERROR(result.wide_ ? build(result.wide_edges_)
                               : build(result.narrow_edges_));
  for (uint64_t i = 0; i < result.indptr_.back(); ++i) {
    result.max_edge_id_ = std::max(result.max_edge_id_, result.edge(i).edge_id);
  }
  return result;
}

absl::StatusOr<Adjacency> Adjacency::FromSortedRows(
    absl::Span<const uint64_t> degrees, int64_t num_src, int64_t max_edge_id,
    absl::FunctionRef<absl::Status(int64_t node, absl::Span<InEdge> row)>
        fill) {
  Adjacency result;
  result.indptr_.resize(degrees.size() + 1);
  for (size_t v = 0; v < degrees.size(); ++v) {
    result.indptr_[v + 1] = result.indptr_[v] + degrees[v];
  }
  result.max_edge_id_ = max_edge_id;
  result.wide_ = !FitsNarrow(num_src, static_cast<uint64_t>(max_edge_id) + 1);
  const auto fill_all = [&](auto& edges) {
    using Packed = typename std::decay_t<decltype(edges)>::value_type;
    constexpr int kBits = sizeof(Packed) * 4;
    edges.resize(result.indptr_.back());
    return ParallelFor(
        degrees.size(), kSortGrain, [&](size_t begin, size_t end) {
          std::vector<InEdge> row;
          for (size_t v = begin; v < end; ++v) {
            row.resize(degrees[v]);
            RETURN_IF_ERROR(fill(static_cast<int64_t>(v), absl::MakeSpan(row)));
            Packed* out = edges.data() + result.indptr_[v];
            for (const InEdge& edge : row) {
              *out++ = static_cast<Packed>(edge.neighbor) << kBits |
                       static_cast<Packed>(edge.edge_id);
            }
          }
          return absl::OkStatus();
        });
  };
  RETURN_IF_ERROR(result.wide_ ? fill_all(result.wide_edges_)
                               : fill_all(result.narrow_edges_));
  return result;
}

// Rows are read by ascending node, and each neighbour's edges by ascending id,
// so every new row is filled in canonical order.
Adjacency Adjacency::Transposed(int64_t num_src) const {
  Adjacency result;
  result.indptr_.assign(static_cast<size_t>(num_src) + 1, 0);
  for (uint64_t i = 0; i < indptr_.back(); ++i) {
    ++result.indptr_[edge(i).neighbor + 1];
  }
  for (int64_t u = 0; u < num_src; ++u) {
    result.indptr_[u + 1] += result.indptr_[u];
  }
  result.max_edge_id_ = max_edge_id_;
  result.wide_ =
      !FitsNarrow(num_nodes(), static_cast<uint64_t>(max_edge_id_) + 1);
  std::vector<uint64_t> next(result.indptr_.begin(), result.indptr_.end() - 1);
  const auto scatter = [&](auto& edges) {
    using Packed = typename std::decay_t<decltype(edges)>::value_type;
    constexpr int kBits = sizeof(Packed) * 4;
    edges.resize(indptr_.back());
    for (int64_t v = 0; v < num_nodes(); ++v) {
      for (uint64_t i = indptr_[v]; i < indptr_[v + 1]; ++i) {
        const InEdge in = edge(i);
        edges[next[in.neighbor]++] =
            static_cast<Packed>(v) << kBits | static_cast<Packed>(in.edge_id);
      }
    }
  };
  if (result.wide_) {
    scatter(result.wide_edges_);
  } else {
    scatter(result.narrow_edges_);
  }
  return result;
}

}  // namespace tributary
