#include "partition/pipeline/check/read_back.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/pipeline/check/derived_check.h"
#include "partition/pipeline/check/mapped_rows.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 8192;

absl::Status StoredRowError(const std::string& type, uint32_t partition,
                            uint64_t row, const std::string& what) {
  return absl::DataLossError(absl::StrCat(
      "type ", type, ", partition ", partition, ", row ", row, ": ", what));
}

// Checks that the node map leads from every row's original id back to the row.
// There are as many rows as nodes, so each node occurs once.
absl::StatusOr<InternalIds> ReadInternalIds(const Graph& graph, int t) {
  const NodeTypeSchema& type = graph.schema().node_types[t];
  auto internal = std::make_shared<std::vector<int64_t>>(type.num_nodes);
  for (uint32_t p = 0; p < graph.schema().num_partitions; ++p) {
    const absl::Span<const int64_t> ids = graph.nodes(t, p)->orig_id;
    const auto check = [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        if (row > 0 && ids[row - 1] >= ids[row]) {
          return StoredRowError(type.name, p, row, "orig_id does not ascend");
        }
        const auto found = graph.node_map(t).Locate(ids[row]);
        if (!found.ok()) {
          return StoredRowError(type.name, p, row,
                                std::string(found.status().message()));
        }
        if (*found != NodeLocation{p, row}) {
          return StoredRowError(
              type.name, p, row,
              absl::StrCat("node_map has node ", ids[row], " in partition ",
                           found->partition, ", row ", found->row));
        }
        (*internal)[ids[row]] = type.base[p] + static_cast<int64_t>(row);
      }
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(ParallelFor(ids.size(), kGrain, check));
  }
  return InternalIds(std::move(internal));
}

// Reads and checks the edges of one type.
class EdgeReader {
 public:
  EdgeReader(const Graph& graph, int type, const InternalIds& dst_internal)
      : graph_(graph),
        type_(type),
        schema_(graph.schema().edge_types[type]),
        src_(graph.schema().node_types[schema_.src_type]),
        dst_(graph.schema().node_types[schema_.dst_type]),
        dst_internal_(*dst_internal) {}

  absl::StatusOr<Adjacency> Read() const {
    std::vector<uint64_t> degrees(dst_internal_.size());
    for (size_t v = 0; v < degrees.size(); ++v) {
      const Place place = PlaceOf(static_cast<int64_t>(v));
      degrees[v] =
          place.part->indptr[place.row + 1] - place.part->indptr[place.row];
    }
    ASSIGN_OR_RETURN(const int64_t max_id, MaxEdgeId());
    ASSIGN_OR_RETURN(
        Adjacency edges,
        Adjacency::FromSortedRows(degrees, src_.num_nodes, max_id,
                                  [this](int64_t v, absl::Span<InEdge> row) {
                                    return FillRow(v, row);
                                  }));
    RETURN_IF_ERROR(CheckIdsDiffer(edges));
    return edges;
  }

 private:
  struct Place {
    uint32_t partition;
    uint64_t row;
    const EdgePartition* part;
  };
  Place PlaceOf(int64_t original) const {
    const int64_t internal = dst_internal_[original];
    const uint32_t p = dst_.PartitionOf(internal);
    return {p, static_cast<uint64_t>(internal - dst_.base[p]),
            graph_.edges(type_, p)};
  }

  absl::StatusOr<int64_t> MaxEdgeId() const {
    uint64_t max_id = 0;
    for (uint32_t p : graph_.partitions()) {
      const IdArray& ids = graph_.edges(type_, p)->edge_id;
      for (size_t i = 0; i < ids.size(); ++i) {
        max_id = std::max(max_id, ids[i]);
      }
    }
    if (max_id >> 62 != 0) {
      return absl::DataLossError(absl::StrCat("edge type ", schema_.name(),
                                              " has an edge id of ", max_id));
    }
    return schema_.num_edges == 0 ? -1 : static_cast<int64_t>(max_id);
  }

  absl::Status FillRow(int64_t v, absl::Span<InEdge> row) const {
    const Place place = PlaceOf(v);
    const uint64_t begin = place.part->indptr[place.row];
    for (size_t i = 0; i < row.size(); ++i) {
      const uint64_t index = place.part->indices[begin + i];
      if (index >= static_cast<uint64_t>(src_.num_nodes)) {
        return StoredRowError(
            schema_.name(), place.partition, place.row,
            absl::StrCat("neighbour ", index, " of ", src_.num_nodes));
      }
      const auto internal = static_cast<int64_t>(index);
      const uint32_t p = src_.PartitionOf(internal);
      row[i] = {
          graph_.nodes(schema_.src_type, p)->orig_id[internal - src_.base[p]],
          static_cast<int64_t>(place.part->edge_id[begin + i])};
      if (i > 0 && std::pair(row[i - 1].neighbor, row[i - 1].edge_id) >=
                       std::pair(row[i].neighbor, row[i].edge_id)) {
        return StoredRowError(
            schema_.name(), place.partition, place.row,
            absl::StrCat("edge ", row[i].edge_id, " from node ",
                         row[i].neighbor, " is out of canonical order"));
      }
    }
    return absl::OkStatus();
  }

  // Ids are dense or nearly so, unless the graph is damaged or they are the
  // user's own.
  absl::Status CheckIdsDiffer(const Adjacency& edges) const {
    std::vector<int64_t> ids(edges.num_edges());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = edges.edge(i).edge_id;
    const auto repeated = [&](int64_t id) {
      return absl::DataLossError(absl::StrCat("edge type ", schema_.name(),
                                              " has edge id ", id, " twice"));
    };
    if (edges.max_edge_id() / 16 <= edges.num_edges()) {
      std::vector<bool> seen(edges.max_edge_id() + 1);
      for (int64_t id : ids) {
        if (seen[id]) return repeated(id);
        seen[id] = true;
      }
      return absl::OkStatus();
    }
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    return twice == ids.end() ? absl::OkStatus() : repeated(*twice);
  }

  const Graph& graph_;
  const int type_;
  const EdgeTypeSchema& schema_;
  const NodeTypeSchema& src_;
  const NodeTypeSchema& dst_;
  const std::vector<int64_t>& dst_internal_;
};

NodeContent NodesOf(const std::shared_ptr<const Graph>& graph, int t,
                    const InternalIds& internal) {
  const NodeTypeSchema& type = graph->schema().node_types[t];
  NodeContent nodes;
  nodes.name = type.name;
  nodes.num_nodes = type.num_nodes;
  if (type.x.has_value()) {
    nodes.x = MakeNodeRows(*type.x, graph, t, &NodePartition::x, internal);
  }
  if (type.y.has_value()) {
    nodes.y = MakeNodeRows(*type.y, graph, t, &NodePartition::y, internal);
  }
  if (type.timed) nodes.time = CopyNodeTimes(*graph, t);
  return nodes;
}

absl::StatusOr<EdgeContent> EdgesOf(const std::shared_ptr<const Graph>& graph,
                                    int t, const InternalIds& internal) {
  const EdgeTypeSchema& type = graph->schema().edge_types[t];
  EdgeContent edges;
  edges.src = type.src;
  edges.rel = type.rel;
  edges.dst = type.dst;
  edges.src_type = type.src_type;
  edges.dst_type = type.dst_type;
  edges.reverse = type.reverse;
  edges.attr_by = EdgeContent::AttrBy::kPosition;
  ASSIGN_OR_RETURN(edges.in_edges, EdgeReader(*graph, t, internal).Read());
  RETURN_IF_ERROR(CheckDerived(*graph, t));
  const MappedEdgeRows rows(graph, t, edges.in_edges, internal);
  if (type.edge_attr.has_value()) {
    edges.edge_attr = rows.Column(*type.edge_attr, &EdgePartition::edge_attr);
  }
  if (type.weighted) {
    edges.weight = rows.Column({type.weight_dtype, 0}, &EdgePartition::weight);
  }
  if (type.timed) edges.time = rows.CopyTimes();
  for (size_t i = 0; i < type.masks.size(); ++i) {
    edges.masks[type.masks[i]] = rows.Mask(i);
  }
  return edges;
}

absl::StatusOr<std::vector<SplitContent>> SplitsOf(const Graph& graph) {
  std::vector<SplitContent> splits;
  for (const SplitSchema& split : graph.schema().splits) {
    const GraphSchema& schema = graph.schema();
    ASSIGN_OR_RETURN(
        const auto ids,
        split.of_edges()
            ? graph.EdgeSplit(schema.FindEdgeType(split.type),
                              split.full_name())
            : graph.Split(schema.FindNodeType(split.type), split.full_name()));
    splits.push_back({split.scheme, split.type, split.name,
                      std::vector<int64_t>(ids.begin(), ids.end())});
  }
  return splits;
}

}  // namespace

absl::StatusOr<GraphContent> ReadBack(std::shared_ptr<const Graph> graph) {
  const GraphSchema& schema = graph->schema();
  if (graph->partitions().size() != schema.num_partitions) {
    return absl::FailedPreconditionError(
        "a graph is read back with all its partitions open");
  }
  GraphContent content;
  content.name = schema.name;
  content.heterogeneous = schema.heterogeneous;
  std::vector<InternalIds> internal;
  for (size_t t = 0; t < schema.node_types.size(); ++t) {
    ASSIGN_OR_RETURN(InternalIds ids,
                     ReadInternalIds(*graph, static_cast<int>(t)));
    content.node_types.push_back(NodesOf(graph, static_cast<int>(t), ids));
    internal.push_back(std::move(ids));
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    ASSIGN_OR_RETURN(EdgeContent edges,
                     EdgesOf(graph, static_cast<int>(t),
                             internal[schema.edge_types[t].dst_type]));
    content.edge_types.push_back(std::move(edges));
  }
  ASSIGN_OR_RETURN(content.splits, SplitsOf(*graph));
  const absl::Status fits = CheckContent(content);
  if (!fits.ok()) return absl::DataLossError(fits.message());
  return content;
}

}  // namespace tributary
