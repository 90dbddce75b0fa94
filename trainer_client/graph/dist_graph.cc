#include "trainer_client/graph/dist_graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/limits.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/graph/excluded_edges.h"

namespace tributary {
namespace {

absl::Status CheckOptions(const DistGraphOptions& options) {
  if (options.world_size < 1 || options.rank < 0 ||
      options.rank >= options.world_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "DistGraphOptions.rank is ", options.rank, " of world_size ",
        options.world_size, "; allowed: 0 to world_size - 1"));
  }
  return absl::OkStatus();
}

// Appends the edges of a batch to `edges`, by original ids.
absl::Status TakeEdges(const BatchView& view, const GraphSchema& schema,
                       EdgesByType* edges) {
  ASSIGN_OR_RETURN(const HeteroBatch batch, ToTypedBatch(view, schema));
  for (const auto& [name, from] : batch.edges) {
    if (from.e_id.empty()) continue;
    const EdgeTypeSchema& type = schema.edge_types[schema.FindEdgeType(name)];
    const auto sources = batch.nodes.find(type.src)->second.n_id;
    const auto destinations = batch.nodes.find(type.dst)->second.n_id;
    EdgeList& to = (*edges)[name];
    for (size_t i = 0; i < from.e_id.size(); ++i) {
      to.src.push_back(sources[from.src[i]]);
      to.dst.push_back(destinations[from.dst[i]]);
      to.e_id.push_back(from.e_id[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckProb(const std::string& prob) {
  if (prob.empty() || prob == "weight" || prob == "w") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "SampleOptions.prob is '", prob,
      "'; allowed: empty (uniform), weight (the weights that the graph stores, "
      "see partition --edge-weight)"));
}

// Removes later repetitions.
std::vector<int64_t> Distinct(const std::vector<int64_t>& ids) {
  std::set<int64_t> seen;
  std::vector<int64_t> distinct;
  for (int64_t id : ids) {
    if (seen.insert(id).second) distinct.push_back(id);
  }
  return distinct;
}

}  // namespace

std::vector<uint32_t> PartitionsOfRank(uint32_t num_partitions, int rank,
                                       int world_size) {
  const uint64_t n = num_partitions;
  const auto world = static_cast<uint64_t>(world_size);
  const auto r = static_cast<uint64_t>(rank);
  if (n < world) return {static_cast<uint32_t>(r * n / world)};
  std::vector<uint32_t> own;
  for (uint64_t p = 0; p < n; ++p) {
    if (p * world / n == r) own.push_back(static_cast<uint32_t>(p));
  }
  return own;
}

absl::StatusOr<std::unique_ptr<DistGraph>> DistGraph::Create(
    DistContext& context, const std::string& name) {
  return Open(&context.workers(), {.graph_name = name,
                                   .rank = context.rank(),
                                   .world_size = context.world_size(),
                                   .timeout = context.options().timeout});
}

absl::StatusOr<std::unique_ptr<DistGraph>> DistGraph::Open(
    SamplingWorkers* workers, const DistGraphOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(
      std::unique_ptr<GraphConnection> connection,
      GraphConnection::Open(workers, options.graph_name, options.timeout));
  return std::unique_ptr<DistGraph>(
      new DistGraph(options, std::move(connection)));
}

DistGraph::DistGraph(const DistGraphOptions& options,
                     std::unique_ptr<GraphConnection> connection)
    : options_(options),
      connection_(std::move(connection)),
      lookups_(connection_.get()),
      book_(&lookups_) {
  for (size_t t = 0; t < schema().node_types.size(); ++t) {
    ndata_.push_back(std::make_unique<GraphData>(&lookups_, /*of_edges=*/false,
                                                 static_cast<int>(t)));
  }
  for (size_t t = 0; t < schema().edge_types.size(); ++t) {
    edata_.push_back(std::make_unique<GraphData>(&lookups_, /*of_edges=*/true,
                                                 static_cast<int>(t)));
  }
}

std::vector<std::string> DistGraph::etypes() const {
  std::vector<std::string> names;
  for (const std::string& name : canonical_etypes()) {
    names.push_back(schema().edge_types[schema().FindEdgeType(name)].rel);
  }
  return names;
}

absl::StatusOr<int64_t> DistGraph::num_nodes(
    const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  return schema().node_types[type].num_nodes;
}

absl::StatusOr<int64_t> DistGraph::num_edges(
    const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  return schema().edge_types[type].num_edges;
}

absl::StatusOr<GraphData*> DistGraph::ndata(const std::string& node_type) {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  return ndata_[type].get();
}

absl::StatusOr<GraphData*> DistGraph::edata(const std::string& edge_type) {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  return edata_[type].get();
}

absl::StatusOr<std::vector<int64_t>> DistGraph::InDegrees(
    absl::Span<const int64_t> nodes, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  return lookups_.InDegrees(type, nodes);
}

absl::StatusOr<std::vector<int64_t>> DistGraph::OutDegrees(
    absl::Span<const int64_t> nodes, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  return lookups_.OutDegrees(type, nodes);
}

absl::StatusOr<EdgeEnds> DistGraph::FindEdges(
    absl::Span<const int64_t> edge_ids, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  return lookups_.FindEdges(type, edge_ids);
}

absl::StatusOr<EdgesByType> DistGraph::InSubgraph(
    const NodesByType& nodes) const {
  return SampleNeighbors(nodes, -1);
}

absl::StatusOr<EdgesByType> DistGraph::EdgeSubgraph(
    const std::map<std::string, std::vector<int64_t>>& edge_ids) const {
  EdgesByType edges;
  for (const auto& [name, ids] : edge_ids) {
    ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), name));
    ASSIGN_OR_RETURN(EdgeEnds ends, lookups_.FindEdges(type, ids));
    edges[schema().edge_types[type].name()] = {std::move(ends.src),
                                               std::move(ends.dst), ids};
  }
  return edges;
}

absl::StatusOr<EdgesByType> DistGraph::SampleNeighbors(
    const NodesByType& nodes, int32_t fanout,
    const SampleOptions& options) const {
  std::map<std::string, int32_t> fanouts;
  for (const std::string& name : canonical_etypes()) fanouts[name] = fanout;
  return SampleEtypeNeighbors(nodes, fanouts, options);
}

absl::StatusOr<EdgesByType> DistGraph::SampleEtypeNeighbors(
    const NodesByType& nodes, const std::map<std::string, int32_t>& fanouts,
    const SampleOptions& options) const {
  RETURN_IF_ERROR(CheckProb(options.prob));
  std::map<std::string, int32_t> canonical;
  for (const auto& [name, fanout] : fanouts) {
    ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), name));
    canonical[schema().edge_types[type].name()] = fanout;
  }
  if (options.exclude_edges.empty()) return Sample(nodes, canonical, options);
  return SampleWithoutEdges(
      lookups_, nodes, canonical, options,
      [this](const NodesByType& of, const std::map<std::string, int32_t>& with,
             const SampleOptions& how) { return Sample(of, with, how); });
}

absl::StatusOr<EdgesByType> DistGraph::Sample(
    const NodesByType& nodes, const std::map<std::string, int32_t>& fanouts,
    const SampleOptions& options) const {
  EdgesByType edges;
  for (const auto& [name, ids] : nodes) {
    ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), name));
    if (ids.empty()) continue;
    RETURN_IF_ERROR(SampleFrom(schema().node_types[type].name, ids, fanouts,
                               options, &edges));
  }
  return edges;
}

absl::Status DistGraph::SampleFrom(
    const std::string& node_type, const std::vector<int64_t>& nodes,
    const std::map<std::string, int32_t>& fanouts, const SampleOptions& options,
    EdgesByType* edges) const {
  CommonLoaderOptions common;
  common.input_type = node_type;
  common.input_nodes = Distinct(nodes);
  common.batch_size =
      std::min<uint64_t>(common.input_nodes.size(), kMaxBatchSize);
  common.shuffle = ShuffleMode::kNone;
  common.collect = CollectedColumns::None();
  common.random_seed = options.key.random_seed;
  NeighborOptions neighbors;
  neighbors.num_neighbors = {0};
  for (const auto& [name, fanout] : fanouts) {
    neighbors.num_neighbors.by_edge_type[name] = {fanout};
  }
  neighbors.replace = options.replace;
  if (!options.prob.empty()) neighbors.draws.draw = DrawMode::kWeighted;
  neighbors.draws.edge_dir = options.edge_dir;
  neighbors.draws.edge_mask = options.edge_mask;
  return connection_->MakeBatches(SessionOptions(common, neighbors),
                                  options.key.index,
                                  [&](const BatchView& batch) {
                                    return TakeEdges(batch, schema(), edges);
                                  });
}

absl::StatusOr<LocalPart> DistGraph::LocalPartition() const {
  LocalPart part;
  part.partitions = PartitionsOfRank(schema().num_partitions, options_.rank,
                                     options_.world_size);
  for (const std::string& type : ntypes()) {
    std::vector<int64_t>& nodes = part.nodes[type];
    for (uint32_t p : part.partitions) {
      ASSIGN_OR_RETURN(const auto ids, book_.NodesOf(p, type));
      nodes.insert(nodes.end(), ids.begin(), ids.end());
    }
    std::sort(nodes.begin(), nodes.end());
  }
  return part;
}

}  // namespace tributary
