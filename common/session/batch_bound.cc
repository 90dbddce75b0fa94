#include "common/session/batch_bound.h"

#include <algorithm>

#include "common/session/saturating.h"

namespace tributary {
namespace {

// Header entry with its name's suffix, and the padding behind the tensor and
// behind the header.
uint64_t TensorOverhead(const std::string& type) {
  return 4 + 24 + 2 * type.size() + 2 + 16 + 8 + 128;
}

struct Counts {
  std::vector<uint64_t> nodes;     // by type, found so far
  std::vector<uint64_t> frontier;  // by type, to expand in the next hop
  std::vector<uint64_t> edges;     // by edge type
};

// Trees share nothing: the graph bounds each.
uint64_t Trees(const BatchBoundInputs& in) {
  return in.disjoint ? in.num_inputs : 1;
}

// Edges of one type in one hop: distinct frontier nodes draw distinct edges.
uint64_t EdgesOfHop(const BatchBoundInputs& in,
                    const BatchBoundInputs::EdgeType& type, int32_t fanout,
                    uint64_t frontier) {
  if (frontier == 0 || fanout == 0) return 0;
  const uint64_t most = SaturatingMultiply(type.num_edges, Trees(in));
  if (fanout < 0) return most;
  const uint64_t drawn =
      SaturatingMultiply(frontier, static_cast<uint64_t>(fanout));
  return in.replace ? drawn : std::min(drawn, most);
}

// Edges of all types in one hop, where the fanout is their total.
uint64_t EdgesAcrossTypes(const BatchBoundInputs& in, size_t hop,
                          const std::vector<uint64_t>& frontier) {
  if (in.edge_types.empty()) return 0;
  const int32_t fanout = in.edge_types[0].fanouts[hop];
  if (fanout < 0) return UINT64_MAX;
  uint64_t edges = 0;
  for (const uint64_t nodes : frontier) {
    edges = SaturatingAdd(
        edges, SaturatingMultiply(nodes, static_cast<uint64_t>(fanout)));
  }
  return edges;
}

void RunHop(const BatchBoundInputs& in, size_t hop, Counts* counts) {
  std::vector<uint64_t> found(in.node_types.size(), 0);
  const uint64_t most_found = in.across_types
                                  ? EdgesAcrossTypes(in, hop, counts->frontier)
                                  : UINT64_MAX;
  for (size_t e = 0; e < in.edge_types.size(); ++e) {
    const BatchBoundInputs::EdgeType& type = in.edge_types[e];
    const uint64_t edges = EdgesOfHop(in, type, type.fanouts[hop],
                                      counts->frontier[type.dst_type]);
    counts->edges[e] = SaturatingAdd(counts->edges[e], edges);
    found[type.src_type] = SaturatingAdd(found[type.src_type], edges);
  }
  for (size_t t = 0; t < in.node_types.size(); ++t) {
    const uint64_t num_nodes =
        SaturatingMultiply(in.node_types[t].num_nodes, Trees(in));
    found[t] = std::min(found[t], most_found);
    counts->nodes[t] =
        std::min(SaturatingAdd(counts->nodes[t], found[t]), num_nodes);
    counts->frontier[t] =
        in.expand_all ? counts->nodes[t] : std::min(found[t], num_nodes);
  }
}

// Every edge between nodes that there may be.
void InduceEdges(const BatchBoundInputs& in, Counts* counts) {
  for (size_t e = 0; e < in.edge_types.size(); ++e) {
    const BatchBoundInputs::EdgeType& type = in.edge_types[e];
    const bool none =
        counts->nodes[type.src_type] == 0 || counts->nodes[type.dst_type] == 0;
    counts->edges[e] = none ? 0 : SaturatingMultiply(type.num_edges, Trees(in));
  }
}

// Those of any type that leads back may come to those of a type.
void MirrorEdges(const BatchBoundInputs& in, Counts* counts) {
  const std::vector<uint64_t> drawn = counts->edges;
  for (size_t e = 0; e < in.edge_types.size(); ++e) {
    uint64_t most = 0;
    for (size_t back = 0; back < in.edge_types.size(); ++back) {
      if (in.edge_types[back].src_type == in.edge_types[e].dst_type &&
          in.edge_types[back].dst_type == in.edge_types[e].src_type) {
        most = std::max(most, drawn[back]);
      }
    }
    counts->edges[e] = SaturatingAdd(drawn[e], most);
  }
}

// in_degree and out_degree of the type.
uint64_t DegreeBytes(const BatchBoundInputs::EdgeType& type,
                     const Counts& counts) {
  if (!type.degrees) return 0;
  const uint64_t nodes =
      SaturatingAdd(counts.nodes[type.src_type], counts.nodes[type.dst_type]);
  return SaturatingAdd(SaturatingMultiply(nodes, 8),
                       2 * TensorOverhead(type.name));
}

uint64_t SumBytes(const BatchBoundInputs& in, const Counts& counts,
                  size_t num_hops) {
  // input_id and seed_index, an entry per position; batch_size; the header.
  uint64_t bytes = SaturatingAdd(SaturatingMultiply(in.num_inputs, 8 + 4),
                                 8 + 3 * 192 + 256);
  bytes = SaturatingAdd(bytes, in.more_bytes);
  const uint64_t node_bytes = in.disjoint ? 16 : 8;  // n_id, batch
  // edge_index, e_id, edge_weight.
  const uint64_t edge_bytes =
      8 + (in.omit_edge_ids ? 0 : 8) + (in.edge_weights ? 4 : 0);
  for (size_t t = 0; t < in.node_types.size(); ++t) {
    const BatchBoundInputs::NodeType& type = in.node_types[t];
    bytes = SaturatingAdd(
        bytes, SaturatingMultiply(counts.nodes[t],
                                  SaturatingAdd(node_bytes, type.row_bytes)));
    bytes = SaturatingAdd(
        bytes,
        (num_hops + 1) * 8 + (in.disjoint ? 5 : 4) * TensorOverhead(type.name));
  }
  bytes = SaturatingAdd(bytes,
                        3 * TensorOverhead(in.node_types[in.input_type].name));
  for (size_t e = 0; e < in.edge_types.size(); ++e) {
    const BatchBoundInputs::EdgeType& type = in.edge_types[e];
    bytes = SaturatingAdd(
        bytes, SaturatingMultiply(counts.edges[e],
                                  SaturatingAdd(edge_bytes, type.row_bytes)));
    bytes = SaturatingAdd(bytes, num_hops * 8 + (in.edge_weights ? 5 : 4) *
                                                    TensorOverhead(type.name));
    bytes = SaturatingAdd(bytes, DegreeBytes(type, counts));
  }
  return bytes;
}

}  // namespace

uint64_t BatchBytesBound(const BatchBoundInputs& in) {
  Counts counts;
  counts.nodes.resize(in.node_types.size(), 0);
  counts.edges.resize(in.edge_types.size(), 0);
  std::vector<uint64_t> starts = in.starts;
  starts.resize(in.node_types.size(), 0);
  if (in.starts.empty()) starts[in.input_type] = in.num_inputs;
  for (size_t t = 0; t < starts.size(); ++t) {
    counts.nodes[t] = std::min(
        starts[t], SaturatingMultiply(in.node_types[t].num_nodes, Trees(in)));
  }
  counts.frontier = counts.nodes;
  size_t num_hops = 0;
  for (const auto& type : in.edge_types) {
    num_hops = std::max(num_hops, type.fanouts.size());
  }
  for (size_t hop = 0; hop < num_hops; ++hop) RunHop(in, hop, &counts);
  if (in.subgraph == SubgraphType::kInduced) InduceEdges(in, &counts);
  if (in.subgraph == SubgraphType::kBidirectional) MirrorEdges(in, &counts);
  return SumBytes(in, counts, num_hops);
}

}  // namespace tributary
