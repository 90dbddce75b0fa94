#include "sampler_server/engine/testing/memory_graph.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/random/hop_key.h"
#include "partition/format/testing/scaled_rows.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(T));
}

ColumnSchema FeatureColumn(int64_t dim, bool scaled) {
  return {scaled ? DType::kInt8 : DType::kFloat32, dim, scaled};
}

}  // namespace

void AddReverses(MemoryGraphSpec* graph) {
  std::vector<MemoryGraphSpec::EdgeType>& types = graph->edge_types;
  for (size_t t = 0, n = types.size(); t < n; ++t) {
    MemoryGraphSpec::EdgeType reverse = types[t];
    reverse.src = types[t].dst;
    reverse.rel = "rev_" + types[t].rel;
    reverse.dst = types[t].src;
    reverse.reverse = true;
    for (auto& [u, v] : reverse.edges) std::swap(u, v);
    types.push_back(std::move(reverse));
  }
  std::sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
    return std::tie(a.src, a.rel, a.dst) < std::tie(b.src, b.rel, b.dst);
  });
}

void RenewReverses(MemoryGraphSpec* graph) {
  if (std::erase_if(graph->edge_types,
                    [](const auto& type) { return type.reverse; }) > 0) {
    AddReverses(graph);
  }
}

void MemoryGraph::Ids::Push(uint64_t id) {
  narrow.push_back(static_cast<uint32_t>(id));
  wide.push_back(id);
}

IdArray MemoryGraph::Ids::View(bool as_wide) const {
  return as_wide ? IdArray(absl::MakeConstSpan(wide))
                 : IdArray(absl::MakeConstSpan(narrow));
}

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
    AddDegrees(spec, type, content.get());
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
  if (type.x_dim > 0) schema.x = FeatureColumn(type.x_dim, type.scaled);
  if (type.has_y) schema.y = ColumnSchema{DType::kInt64, 0};
  schema.timed = !type.time.empty();
  auto& arrays = c->nodes.emplace_back(parts);
  for (int64_t v = 0; v < type.num_nodes; ++v) {
    NodeArrays& to = arrays[partition_of[v]];
    to.orig_id.push_back(v);
    for (int64_t j = 0; j < type.x_dim; ++j) {
      to.x.push_back(static_cast<float>(v) + static_cast<float>(j) / 8);
    }
    if (type.has_y) to.y.push_back(3 * v);
    if (schema.timed) to.time.push_back(type.time[v]);
  }
  schema.base = {0};
  auto& internal = c->internal.emplace_back(type.num_nodes);
  for (NodeArrays& part : arrays) {
    const int64_t base = schema.base.back();
    for (size_t row = 0; row < part.orig_id.size(); ++row) {
      internal[part.orig_id[row]] = base + static_cast<int64_t>(row);
    }
    schema.base.push_back(base + static_cast<int64_t>(part.orig_id.size()));
    if (type.scaled && type.x_dim > 0) {
      part.scaled_x = ScaledRowsOf(part.x, static_cast<size_t>(type.x_dim));
    }
    part.view = {part.orig_id, BytesOf(part.x), BytesOf(part.y), part.time};
    if (type.scaled) part.view.x = part.scaled_x;
  }
  c->ranks.push_back(NodeMap::MakeRanks(partition_of, parts));
  c->partition_of.push_back(std::move(partition_of));
  c->maps.emplace_back(absl::MakeConstSpan(c->partition_of.back()),
                       absl::MakeConstSpan(c->ranks.back()), parts);
}

void MemoryGraph::AddWeights(EdgeArrays* part) {
  part->weight_sum.resize(part->weight.size());
  for (size_t row = 0; row + 1 < part->indptr.size(); ++row) {
    const uint64_t begin = part->indptr[row];
    const uint64_t degree = part->indptr[row + 1] - begin;
    SumWeights(absl::MakeSpan(part->weight).subspan(begin, degree),
               absl::MakeSpan(part->weight_sum).subspan(begin, degree));
  }
}

void MemoryGraph::AddTimeOrder(const EdgeArrays& part,
                               const std::vector<int64_t>& times,
                               TimeArrays* to) {
  std::vector<TimedPosition> order;
  for (size_t row = 0; row + 1 < part.indptr.size(); ++row) {
    const uint64_t begin = part.indptr[row];
    OrderByTime(
        absl::MakeSpan(times).subspan(begin, part.indptr[row + 1] - begin),
        order);
    for (const TimedPosition& edge : order) {
      to->time.push_back(edge.time);
      to->position.Push(edge.position);
    }
  }
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
  schema.reverse = type.reverse;
  schema.num_edges = static_cast<int64_t>(type.edges.size());
  if (type.has_attr) schema.edge_attr = FeatureColumn(1, type.scaled);
  schema.weighted = !type.weight.empty();
  schema.weight_dtype = DType::kFloat64;
  schema.timed = !type.time.empty();
  schema.neighbor_timed = c->schema.node_types[schema.src_type].timed;
  schema.neighbor_ids = spec.neighbor_ids;
  for (const auto& [name, mask] : type.masks) schema.masks.push_back(name);
  const std::vector<int64_t>& node_time = spec.node_types[schema.src_type].time;
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
    std::vector<int64_t> edge_times, neighbor_times;
    part.indptr = {0};
    part.masks.resize(type.masks.size());
    for (int64_t v = base[p]; v < base[p + 1]; ++v) {
      for (; next < order.size() && std::get<0>(order[next]) == v; ++next) {
        const auto [dst, u, e] = order[next];
        part.indices.Push(c->internal[schema.src_type][u]);
        part.edge_id.Push(e);
        if (schema.neighbor_ids) part.neighbor_id.Push(u);
        if (type.has_attr) part.attr.push_back(2.0f * static_cast<float>(e));
        if (schema.weighted) part.weight.push_back(type.weight[e]);
        if (schema.timed) edge_times.push_back(type.time[e]);
        if (schema.neighbor_timed) neighbor_times.push_back(node_time[u]);
        auto to = part.masks.begin();
        for (const auto& [name, mask] : type.masks) (to++)->push_back(mask[e]);
      }
      part.indptr.push_back(part.edge_id.narrow.size());
    }
    schema.partition_edges.push_back(static_cast<int64_t>(part.indptr.back()));
    if (schema.weighted) AddWeights(&part);
    if (schema.timed) AddTimeOrder(part, edge_times, &part.edge_time);
    if (schema.neighbor_timed) {
      AddTimeOrder(part, neighbor_times, &part.neighbor_time);
    }
    if (type.scaled) part.scaled_attr = ScaledRowsOf(part.attr, 1);
    MakeView(spec.wide_ids, &part);
    if (type.scaled) part.view.edge_attr = part.scaled_attr;
  }
}

void MemoryGraph::AddDegrees(const MemoryGraphSpec& spec,
                             const MemoryGraphSpec::EdgeType& type,
                             Content* c) {
  EdgeTypeSchema& schema = c->schema.edge_types.back();
  schema.degrees = true;
  std::vector<uint64_t> in(c->schema.node_types[schema.dst_type].num_nodes);
  std::vector<uint64_t> out(c->schema.node_types[schema.src_type].num_nodes);
  for (const auto& [u, v] : type.edges) ++out[u], ++in[v];
  Degrees& degrees = c->degrees.emplace_back();
  for (uint64_t degree : in) degrees.in.Push(degree);
  for (uint64_t degree : out) degrees.out.Push(degree);
  degrees.view = {degrees.in.View(spec.wide_ids),
                  degrees.out.View(spec.wide_ids)};
}

void MemoryGraph::MakeView(bool wide, EdgeArrays* part) {
  EdgePartition& view = part->view;
  view.indptr = part->indptr;
  view.indices = part->indices.View(wide);
  view.edge_id = part->edge_id.View(wide);
  view.edge_attr = BytesOf(part->attr);
  view.weight = BytesOf(part->weight);
  view.weight_sum = part->weight_sum;
  view.edge_time = {part->edge_time.time, part->edge_time.position.View(wide)};
  view.neighbor_time = {part->neighbor_time.time,
                        part->neighbor_time.position.View(wide)};
  view.neighbor_id = part->neighbor_id.View(wide);
  view.masks.assign(part->masks.begin(), part->masks.end());
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
