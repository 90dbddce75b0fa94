#include "partition/writer/streaming/edge_splits.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/text/status.h"

namespace tributary {
namespace {

// Rows that are read at a time, where the next wanted row is among them.
constexpr int64_t kBlockRows = 4096;

// Reads the values of rows in any order.
absl::StatusOr<std::vector<int64_t>> ReadRows(
    const Column& column, const std::vector<int64_t>& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::vector<int64_t> values(rows.size());
  std::vector<int64_t> block;
  int64_t begin = 0;
  for (size_t i : order) {
    const int64_t row = rows[i];
    if (row >= begin + static_cast<int64_t>(block.size())) {
      begin = row;
      const int64_t count = std::min(kBlockRows, column.num_rows() - begin);
      block.resize(static_cast<size_t>(count));
      RETURN_IF_ERROR(
          column.Read(begin, count, reinterpret_cast<uint8_t*>(block.data())));
    }
    values[i] = block[static_cast<size_t>(row - begin)];
  }
  return values;
}

// Returns the lowest id of the edges of a row from `from` that is not below
// `least`; -1 if there is none.
int64_t FindId(const SortedEdges& edges, size_t row, int64_t from,
               int64_t least) {
  uint64_t low = edges.indptr()[row];
  const uint64_t row_end = edges.indptr()[row + 1];
  uint64_t high = row_end;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const InEdge edge = edges.edge(middle);
    if (std::tie(edge.neighbor, edge.edge_id) < std::tie(from, least)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == row_end) return -1;
  const InEdge edge = edges.edge(low);
  return edge.neighbor == from ? edge.edge_id : -1;
}

}  // namespace

uint64_t EdgeSplits::BytesFor(const GraphSource& source) {
  uint64_t edges = 0;
  for (const SplitSource& split : source.splits) {
    edges += split.rows.size() + split.from.size();
  }
  return edges * (sizeof(Wanted) + 3 * sizeof(int64_t));
}

absl::StatusOr<EdgeSplits> EdgeSplits::Make(const GraphSource& source) {
  EdgeSplits splits;
  splits.wanted_.resize(source.edge_types.size());
  splits.splits_.resize(source.splits.size());
  for (size_t s = 0; s < source.splits.size(); ++s) {
    const SplitSource& split = source.splits[s];
    if (!IsEdgeTypeName(split.type)) continue;
    size_t type = 0;
    while (source.edge_types[type].name() != split.type) ++type;
    const EdgeSource& edges = source.edge_types[type];
    Ends& ends = splits.splits_[s];
    ends.from = split.from;
    ends.to = split.to;
    if (!split.rows.empty()) {
      ASSIGN_OR_RETURN(ends.from, ReadRows(*edges.from, split.rows));
      ASSIGN_OR_RETURN(ends.to, ReadRows(*edges.to, split.rows));
    }
    ends.ids.assign(ends.from.size(), -1);
    for (size_t i = 0; i < ends.from.size(); ++i) {
      int64_t own = -1;
      if (!split.rows.empty()) {
        own = split.rows[i] * (edges.add_reverse ? 2 : 1);
      }
      splits.wanted_[type].push_back({ends.to[i], ends.from[i], own, s, i});
    }
  }
  for (std::vector<Wanted>& wanted : splits.wanted_) {
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) {
                return std::tie(a.to, a.from) < std::tie(b.to, b.from);
              });
  }
  return splits;
}

void EdgeSplits::Find(int edge_type, int64_t begin, int64_t end,
                      const SortedEdges& edges) {
  const std::vector<Wanted>& wanted = wanted_[edge_type];
  auto it = std::lower_bound(
      wanted.begin(), wanted.end(), begin,
      [](const Wanted& w, int64_t node) { return w.to < node; });
  for (; it != wanted.end() && it->to < end; ++it) {
    const auto row = static_cast<size_t>(it->to - begin);
    int64_t id = FindId(edges, row, it->from, 0);
    // Of edges with the same ends that were merged, the one with the lowest id
    // was kept.
    if (it->own >= 0 && FindId(edges, row, it->from, it->own) == it->own) {
      id = it->own;
    }
    std::atomic_ref(splits_[it->split].ids[it->place])
        .store(id, std::memory_order_relaxed);
  }
}

std::vector<int64_t> EdgeSplits::found() {
  std::vector<int64_t> found;
  for (Ends& ends : splits_) {
    for (int64_t& id : ends.ids) {
      found.push_back(std::atomic_ref(id).load(std::memory_order_relaxed));
    }
  }
  return found;
}

absl::Status EdgeSplits::Restore(absl::Span<const int64_t> found) {
  size_t at = 0;
  for (const Ends& ends : splits_) at += ends.ids.size();
  if (at != found.size()) {
    return absl::InvalidArgumentError("other splits than those of the run");
  }
  at = 0;
  for (Ends& ends : splits_) {
    std::copy_n(found.begin() + at, ends.ids.size(), ends.ids.begin());
    at += ends.ids.size();
  }
  return absl::OkStatus();
}

std::vector<SplitContent> EdgeSplits::ToContent(
    const GraphSource& source) const {
  std::vector<SplitContent> contents;
  for (size_t s = 0; s < source.splits.size(); ++s) {
    const SplitSource& split = source.splits[s];
    SplitContent content{split.scheme, split.type, split.name, split.nodes};
    const Ends& ends = splits_[s];
    for (size_t i = 0; i < ends.ids.size(); ++i) {
      content.ids.insert(content.ids.end(),
                         {ends.from[i], ends.to[i], ends.ids[i]});
    }
    contents.push_back(std::move(content));
  }
  return contents;
}

}  // namespace tributary
