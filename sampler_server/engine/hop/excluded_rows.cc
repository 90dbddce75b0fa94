#include "sampler_server/engine/hop/excluded_rows.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace tributary {
namespace {

template <typename T>
absl::Span<const T> OfNodes(absl::Span<const T> edges, uint64_t first,
                            uint64_t end) {
  const auto before = [](const T& edge, uint64_t node) {
    return edge.node < node;
  };
  const auto from = std::lower_bound(edges.begin(), edges.end(), first, before);
  const auto to = std::lower_bound(from, edges.end(), end, before);
  return edges.subspan(from - edges.begin(), to - from);
}

constexpr uint64_t kBlock = 64;  // positions of one word

// Whether the key is among some values. Without a branch, so that the compiler
// makes vectors of it: nearly all blocks hold none.
template <typename T>
bool IsAmong(const T* value, uint64_t n, T key) {
  T found = 0;
  for (uint64_t j = 0; j < n; ++j) found |= value[j] == key ? T{1} : T{0};
  return found != 0;
}

// Of a few keys.
template <typename T>
void ClearEach(const T* value, uint64_t degree, absl::Span<const T> keys,
               absl::Span<uint64_t> bits) {
  for (uint64_t p = 0; p < degree; p += kBlock) {
    const uint64_t n = std::min(kBlock, degree - p);
    for (const T key : keys) {
      if (!IsAmong(value + p, n, key)) continue;
      for (uint64_t j = 0; j < n; ++j) {
        bits[p / kBlock] &= ~(uint64_t{value[p + j] == key} << j);
      }
    }
  }
}

// Of many: a bit for each hash of one says which values are worth a search.
template <typename T>
void ClearMany(const T* value, uint64_t degree, absl::Span<const T> keys,
               absl::Span<uint64_t> bits, StopCheck* stop) {
  int log2 = 10;
  while (log2 < 20 && (uint64_t{1} << log2) < 16 * keys.size()) ++log2;
  const int shift = 64 - log2;
  std::vector<bool> marks(uint64_t{1} << log2);
  const auto hash = [shift](T v) {
    return uint64_t{v} * 0x9E3779B97F4A7C15u >> shift;
  };
  for (const T key : keys) marks[hash(key)] = true;
  InPieces(stop, degree, [&](uint64_t from, uint64_t to) {
    for (uint64_t p = from; p < to; ++p) {
      if (!marks[hash(value[p])]) continue;
      if (!std::binary_search(keys.begin(), keys.end(), value[p])) continue;
      bits[p / kBlock] &= ~(uint64_t{1} << (p % kBlock));
    }
  });
}

// Clears the positions whose value is among the keys.
template <typename T>
void Clear(const T* value, uint64_t degree, const std::vector<uint64_t>& wide,
           absl::Span<uint64_t> bits, StopCheck* stop) {
  constexpr size_t kFew = 8;
  std::vector<T> keys;
  for (const uint64_t key : wide) {
    if (key <= std::numeric_limits<T>::max()) {
      keys.push_back(static_cast<T>(key));
    }
  }
  if (keys.size() <= kFew) {
    InPieces(stop, degree, [&](uint64_t from, uint64_t to) {
      ClearEach(value + from, to - from, absl::MakeConstSpan(keys),
                bits.subspan(from / kBlock));
    });
    return;
  }
  std::sort(keys.begin(), keys.end());
  ClearMany(value, degree, absl::MakeConstSpan(keys), bits, stop);
}

void ClearIn(const IdArray& values, uint64_t begin, uint64_t degree,
             const std::vector<uint64_t>& keys, absl::Span<uint64_t> bits,
             StopCheck* stop) {
  if (keys.empty()) return;
  if (values.wide()) {
    Clear(values.wide_span().data() + begin, degree, keys, bits, stop);
  } else {
    Clear(values.narrow_span().data() + begin, degree, keys, bits, stop);
  }
}

}  // namespace

ExcludedOfRows::ExcludedOfRows(const ExcludedEdges& edges, uint64_t first,
                               uint64_t end)
    : by_id(OfNodes(absl::MakeConstSpan(edges.by_id), first, end)),
      by_source(OfNodes(absl::MakeConstSpan(edges.by_source), first, end)),
      first_node(first) {}

ExcludedEdges ExcludedOfRows::OfRows(absl::Span<const uint64_t> rows) const {
  ExcludedEdges found;
  if (empty()) return found;
  std::vector<uint64_t> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (uint64_t row : sorted) {
    for (const EdgeOfNode& edge : IdsOf(first_node + row)) {
      found.by_id.push_back({row, edge.edge_id});
    }
    for (const SourceOfNode& edge : SourcesOf(first_node + row)) {
      found.by_source.push_back({row, edge.source});
    }
  }
  return found;
}

absl::Span<const EdgeOfNode> ExcludedOfRows::IdsOf(uint64_t node) const {
  return OfNodes(by_id, node, node + 1);
}

absl::Span<const SourceOfNode> ExcludedOfRows::SourcesOf(uint64_t node) const {
  return OfNodes(by_source, node, node + 1);
}

ExcludedRows::ExcludedRows(const ExcludedOfRows& excluded)
    : excluded_(excluded) {
  int log2 = 10;
  const uint64_t entries = excluded.by_id.size() + excluded.by_source.size();
  while (log2 < 24 && (uint64_t{1} << log2) < 8 * entries) ++log2;
  shift_ = 64 - log2;
  bits_.assign((uint64_t{1} << log2) / 64, 0);
  const auto mark = [this](uint64_t node) {
    const uint64_t hash = Hash(node);
    bits_[hash / 64] |= uint64_t{1} << (hash % 64);
  };
  for (const EdgeOfNode& edge : excluded.by_id) mark(edge.node);
  for (const SourceOfNode& edge : excluded.by_source) mark(edge.node);
}

void ExcludedRows::Narrow(const EdgePartition& edges, uint64_t row,
                          uint64_t begin, uint64_t degree,
                          absl::Span<uint64_t> bits, StopCheck* stop) const {
  const uint64_t node = excluded_.first_node + row;
  std::vector<uint64_t> keys;
  for (const EdgeOfNode& edge : excluded_.IdsOf(node)) {
    if (edge.edge_id < 0) continue;  // no edge has it
    keys.push_back(static_cast<uint64_t>(edge.edge_id));
  }
  ClearIn(edges.edge_id, begin, degree, keys, bits, stop);
  keys.clear();
  for (const SourceOfNode& edge : excluded_.SourcesOf(node)) {
    keys.push_back(edge.source);
  }
  ClearIn(edges.indices, begin, degree, keys, bits, stop);
}

}  // namespace tributary
