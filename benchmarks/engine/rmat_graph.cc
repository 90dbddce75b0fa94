#include "benchmarks/engine/rmat_graph.h"

#include <numeric>
#include <utility>

#include "common/random/hop_key.h"
#include "common/random/philox.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

// Scatters ids by odd multipliers and shifts, which are bijections of
// `bits`-bit numbers: R-MAT gives hubs small ids.
uint32_t Scatter(uint32_t id, int bits) {
  const uint32_t mask = (uint32_t{1} << bits) - 1;
  id = (id * 0x9E3779B1u) & mask;
  id ^= id >> (bits / 2);
  return (id * 0x85EBCA6Bu) & mask;
}

// Returns {source, destination} of edge `e`: a pure function, so that two
// passes see the same edges.
std::pair<uint32_t, uint32_t> EdgeOf(uint32_t e, int scale, PhiloxKey key) {
  uint32_t src = 0, dst = 0;
  PhiloxStream words(key, e);
  for (int level = 0; level < scale; ++level) {
    // 16 bits per level: a < 37356 <= b < 49807 <= c < 62259 <= d.
    const uint32_t r = words.Word(level / 2) >> (level % 2 * 16) & 0xFFFF;
    src = src << 1 | (r >= 49807 ? 1 : 0);
    dst = dst << 1 | ((r >= 37356 && r < 49807) || r >= 62259 ? 1 : 0);
  }
  return {Scatter(src, scale), Scatter(dst, scale)};
}

template <typename T>
T* ArrayOf(AlignedBuffer& buffer, size_t n) {
  buffer = AlignedBuffer(n * sizeof(T));
  return reinterpret_cast<T*>(buffer.data());
}

}  // namespace

RmatGraph::RmatGraph(int scale, int64_t num_edges, uint64_t seed) {
  schema_.name = "rmat";
  schema_.semantics_version = kSemanticsVersion;
  const int64_t n = int64_t{1} << scale;
  NodeTypeSchema& node = schema_.node_types.emplace_back();
  node.name = "node";
  node.num_nodes = n;
  node.base = {0, n};
  EdgeTypeSchema& edge = schema_.edge_types.emplace_back();
  edge.src = edge.dst = "node";
  edge.rel = "to";
  edge.num_edges = num_edges;
  edge.partition_edges = {num_edges};
  FillEdges(scale, num_edges, seed);
  FillNodes();
  FillWeights(seed);
  FillTimes(seed);
  for (int type = 0; type < kTypes; ++type) FillPart(type);
}

void RmatGraph::FillEdges(int scale, int64_t num_edges, uint64_t seed) {
  const size_t n = size_t{1} << scale;
  const PhiloxKey key = MakeHopKey({.random_seed = seed});
  uint64_t* indptr = ArrayOf<uint64_t>(indptr_, n + 1);
  uint32_t* indices = ArrayOf<uint32_t>(indices_, num_edges);
  uint32_t* edge_id = ArrayOf<uint32_t>(edge_id_, num_edges);
  std::fill_n(indptr, n + 1, 0);
  std::vector<std::pair<uint32_t, uint32_t>> edges(num_edges);
  for (int64_t e = 0; e < num_edges; ++e) {
    edges[e] = EdgeOf(static_cast<uint32_t>(e), scale, key);
    ++indptr[edges[e].second + 1];
  }
  std::partial_sum(indptr, indptr + n + 1, indptr);
  std::vector<uint64_t> next(indptr, indptr + n);
  for (int64_t e = 0; e < num_edges; ++e) {
    const uint64_t at = next[edges[e].second]++;
    indices[at] = edges[e].first;
    edge_id[at] = static_cast<uint32_t>(e);
  }
  edges_.indptr = absl::MakeConstSpan(indptr, n + 1);
  edges_.indices = IdArray(absl::MakeConstSpan(indices, num_edges));
  edges_.edge_id = IdArray(absl::MakeConstSpan(edge_id, num_edges));
}

void RmatGraph::FillWeights(uint64_t seed) {
  const PhiloxKey key = MakeHopKey({.random_seed = seed, .hop = 1});
  const size_t n = edges_.edge_id.size();
  uint64_t* sums = ArrayOf<uint64_t>(weight_sum_, n);
  uint32_t* neighbor_id = ArrayOf<uint32_t>(neighbor_id_, n);
  for (size_t row = 0; row + 1 < edges_.indptr.size(); ++row) {
    uint64_t sum = 0;
    for (uint64_t at = edges_.indptr[row]; at < edges_.indptr[row + 1]; ++at) {
      const auto edge = static_cast<uint32_t>(edges_.edge_id[at]);
      sums[at] = sum += PhiloxStream(key, edge).Word(0) | 1;
      neighbor_id[at] = static_cast<uint32_t>(edges_.indices[at]);
    }
  }
  edges_.weight_sum = absl::MakeConstSpan(sums, n);
  edges_.neighbor_id = IdArray(absl::MakeConstSpan(neighbor_id, n));
}

void RmatGraph::FillTimes(uint64_t seed) {
  const PhiloxKey key = MakeHopKey({.random_seed = seed, .hop = 2});
  const size_t n = edges_.edge_id.size();
  int64_t* time = ArrayOf<int64_t>(time_, n);
  uint32_t* position = ArrayOf<uint32_t>(time_position_, n);
  std::vector<int64_t> times;
  std::vector<TimedPosition> order;
  for (size_t row = 0; row + 1 < edges_.indptr.size(); ++row) {
    times.clear();
    for (uint64_t at = edges_.indptr[row]; at < edges_.indptr[row + 1]; ++at) {
      const auto edge = static_cast<uint32_t>(edges_.edge_id[at]);
      times.push_back(PhiloxStream(key, edge).Word(0) % kTimes);
    }
    OrderByTime(times, order);
    for (const TimedPosition& edge : order) {
      *time++ = edge.time;
      *position++ = static_cast<uint32_t>(edge.position);
    }
  }
  edges_.edge_time = {absl::MakeConstSpan(time - n, n),
                      IdArray(absl::MakeConstSpan(position - n, n))};
}

void RmatGraph::FillPart(int type) {
  Part& part = parts_[static_cast<size_t>(type)];
  const size_t rows = edges_.indptr.size() - 1;
  uint64_t* indptr = ArrayOf<uint64_t>(part.indptr, rows + 1);
  const size_t most = edges_.edge_id.size() / kTypes + 1;
  uint32_t* indices = ArrayOf<uint32_t>(part.indices, most);
  uint32_t* edge_id = ArrayOf<uint32_t>(part.edge_id, most);
  uint64_t n = 0;
  for (size_t row = 0; row < rows; ++row) {
    indptr[row] = n;
    for (uint64_t at = edges_.indptr[row]; at < edges_.indptr[row + 1]; ++at) {
      if (edges_.edge_id[at] % kTypes != static_cast<uint64_t>(type)) continue;
      indices[n] = static_cast<uint32_t>(edges_.indices[at]);
      edge_id[n++] = static_cast<uint32_t>(edges_.edge_id[at]);
    }
  }
  indptr[rows] = n;
  part.edges.indptr = absl::MakeConstSpan(indptr, rows + 1);
  part.edges.indices = IdArray(absl::MakeConstSpan(indices, n));
  part.edges.edge_id = IdArray(absl::MakeConstSpan(edge_id, n));
}

void RmatGraph::FillNodes() {
  const auto n = static_cast<size_t>(schema_.node_types[0].num_nodes);
  int64_t* orig_id = ArrayOf<int64_t>(orig_id_, n);
  std::iota(orig_id, orig_id + n, 0);
  nodes_.orig_id = absl::MakeConstSpan(orig_id, n);
  partition_of_.resize(n, 0);
  ranks_ = NodeMap::MakeRanks(std::vector<uint16_t>(n, 0), 1);
  node_map_ = NodeMap(absl::MakeConstSpan(partition_of_), ranks_, 1);
}

}  // namespace tributary
