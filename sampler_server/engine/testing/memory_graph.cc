#include "sampler_server/engine/testing/memory_graph.h"

#include <algorithm>
#include <tuple>

#include "common/session/hop_key.h"

namespace tributary {
namespace {

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(T));
}

}  // namespace

std::shared_ptr<MemoryGraph> MemoryGraph::Make(const MemoryGraphSpec& spec) {
  auto content = std::make_shared<Content>();
  content->schema.name = "memory";
  content->schema.semantics_version = kSemanticsVersion;
  content->schema.heterogeneous = spec.heterogeneous;
  content->schema.num_partitions = spec.num_partitions;
  for (const auto& type : spec.node_types) {
    AddNodeType(spec, type, content.get());
  }
  for (const auto& type : spec.edge_types) {
    AddEdgeType(spec, type, content.get());
  }
  auto graph = std::make_shared<MemoryGraph>();
  graph->content_ = std::move(content);
  for (uint32_t p = 0; p < spec.num_partitions; ++p) {
    graph->mapped_.push_back(p);
  }
  return graph;
}

void MemoryGraph::AddNodeType(const MemoryGraphSpec& spec,
                              const MemoryGraphSpec::NodeType& type,
                              Content* c) {
  const uint32_t parts = spec.num_partitions;
  std::vector<uint16_t> partition_of = type.partition_of;
  for (int64_t v = partition_of.size(); v < type.num_nodes; ++v) {
    partition_of.push_back(static_cast<uint16_t>(v % parts));
  }
  NodeTypeSchema& schema = c->schema.node_types.emplace_back();
  schema.name = type.name;
  schema.num_nodes = type.num_nodes;
  if (type.x_dim > 0) schema.x = ColumnSchema{DType::kFloat32, type.x_dim};
  if (type.has_y) schema.y = ColumnSchema{DType::kInt64, 0};
  auto& arrays = c->nodes.emplace_back(parts);
  for (int64_t v = 0; v < type.num_nodes; ++v) {
    NodeArrays& to = arrays[partition_of[v]];
    to.orig_id.push_back(v);
    for (int64_t j = 0; j < type.x_dim; ++j) {
      to.x.push_back(static_cast<float>(v) + static_cast<float>(j) / 8);
    }
    if (type.has_y) to.y.push_back(3 * v);
  }
  schema.base = {0};
  auto& internal = c->internal.emplace_back(type.num_nodes);
  for (NodeArrays& part : arrays) {
    const int64_t base = schema.base.back();
    for (size_t row = 0; row < part.orig_id.size(); ++row) {
      internal[part.orig_id[row]] = base + static_cast<int64_t>(row);
    }
    schema.base.push_back(base + static_cast<int64_t>(part.orig_id.size()));
    part.view = {part.orig_id, BytesOf(part.x), BytesOf(part.y)};
  }
  c->ranks.push_back(NodeMap::MakeRanks(partition_of, parts));
  c->partition_of.push_back(std::move(partition_of));
  c->maps.emplace_back(absl::MakeConstSpan(c->partition_of.back()),
                       absl::MakeConstSpan(c->ranks.back()), parts);
}

void MemoryGraph::AddEdgeType(const MemoryGraphSpec& spec,
                              const MemoryGraphSpec::EdgeType& type,
                              Content* c) {
  EdgeTypeSchema& schema = c->schema.edge_types.emplace_back();
  schema.src = type.src;
  schema.rel = type.rel;
  schema.dst = type.dst;
  schema.src_type = c->schema.FindNodeType(type.src);
  schema.dst_type = c->schema.FindNodeType(type.dst);
  schema.num_edges = static_cast<int64_t>(type.edges.size());
  if (type.has_attr) schema.edge_attr = ColumnSchema{DType::kFloat32, 1};
  // (internal destination, original neighbour, edge id): canonical order.
  std::vector<std::tuple<int64_t, int64_t, int64_t>> order;
  for (size_t e = 0; e < type.edges.size(); ++e) {
    const auto& [u, v] = type.edges[e];
    order.emplace_back(c->internal[schema.dst_type][v], u, e);
  }
  std::sort(order.begin(), order.end());
  auto& arrays = c->edges.emplace_back(spec.num_partitions);
  const std::vector<int64_t>& base = c->schema.node_types[schema.dst_type].base;
  size_t next = 0;
  for (uint32_t p = 0; p < spec.num_partitions; ++p) {
    EdgeArrays& part = arrays[p];
    part.indptr = {0};
    for (int64_t v = base[p]; v < base[p + 1]; ++v) {
      for (; next < order.size() && std::get<0>(order[next]) == v; ++next) {
        const auto [dst, u, e] = order[next];
        part.indices.push_back(
            static_cast<uint32_t>(c->internal[schema.src_type][u]));
        part.edge_id.push_back(static_cast<uint32_t>(e));
        if (type.has_attr) part.attr.push_back(2.0f * static_cast<float>(e));
      }
      part.indptr.push_back(part.indices.size());
    }
    schema.partition_edges.push_back(static_cast<int64_t>(part.indices.size()));
    part.wide_indices.assign(part.indices.begin(), part.indices.end());
    part.wide_edge_id.assign(part.edge_id.begin(), part.edge_id.end());
    part.view.indptr = part.indptr;
    part.view.indices = spec.wide_ids
                            ? IdArray(absl::MakeConstSpan(part.wide_indices))
                            : IdArray(absl::MakeConstSpan(part.indices));
    part.view.edge_id = spec.wide_ids
                            ? IdArray(absl::MakeConstSpan(part.wide_edge_id))
                            : IdArray(absl::MakeConstSpan(part.edge_id));
    part.view.edge_attr = BytesOf(part.attr);
  }
}

std::shared_ptr<MemoryGraph> MemoryGraph::Only(
    const std::set<uint32_t>& partitions) const {
  auto graph = std::make_shared<MemoryGraph>();
  graph->content_ = content_;
  graph->mapped_.assign(partitions.begin(), partitions.end());
  return graph;
}

const NodePartition* MemoryGraph::nodes(int node_type, uint32_t p) const {
  if (!std::binary_search(mapped_.begin(), mapped_.end(), p)) return nullptr;
  return &content_->nodes[node_type][p].view;
}

const EdgePartition* MemoryGraph::edges(int edge_type, uint32_t p) const {
  if (!std::binary_search(mapped_.begin(), mapped_.end(), p)) return nullptr;
  return &content_->edges[edge_type][p].view;
}

absl::StatusOr<absl::Span<const int64_t>> MemoryGraph::Split(
    int, std::string_view name) const {
  return absl::NotFoundError("no split '" + std::string(name) +
                             "': the graph has none");
}

}  // namespace tributary
