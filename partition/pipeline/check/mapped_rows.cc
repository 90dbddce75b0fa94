#include "partition/pipeline/check/mapped_rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "common/runtime/parallel_for.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 8192;

class NodeRows final : public RowSource {
 public:
  using Column = absl::Span<const uint8_t> NodePartition::*;

  NodeRows(ColumnSchema schema, std::shared_ptr<const Graph> graph, int type,
           Column column, InternalIds internal)
      : RowSource(schema),
        graph_(std::move(graph)),
        type_(type),
        column_(column),
        internal_(std::move(internal)) {}

  int64_t num_rows() const override {
    return static_cast<int64_t>(internal_->size());
  }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    const NodeTypeSchema& type = graph_->schema().node_types[type_];
    const size_t bytes = schema().row_bytes();
    for (int64_t original : rows) {
      const int64_t internal = (*internal_)[original];
      const uint32_t p = type.PartitionOf(internal);
      const auto row = static_cast<size_t>(internal - type.base[p]);
      std::memcpy(out, (graph_->nodes(type_, p)->*column_).data() + row * bytes,
                  bytes);
      out += bytes;
    }
  }

 private:
  const std::shared_ptr<const Graph> graph_;
  const int type_;
  const Column column_;
  const InternalIds internal_;
};

// The partition and position of a node's in-edges.
struct Place {
  const EdgePartition* part;
  uint64_t begin;
};

Place PlaceOf(const Graph& graph, int edge_type, int64_t internal) {
  const EdgeTypeSchema& schema = graph.schema().edge_types[edge_type];
  const NodeTypeSchema& dst = graph.schema().node_types[schema.dst_type];
  const uint32_t p = dst.PartitionOf(internal);
  const EdgePartition* part = graph.edges(edge_type, p);
  return {part, part->indptr[internal - dst.base[p]]};
}

class EdgeColumn final : public RowSource {
 public:
  // Selects the column among those of an edge type in a partition.
  using Column = std::function<absl::Span<const uint8_t>(const EdgePartition&)>;

  EdgeColumn(ColumnSchema schema, std::shared_ptr<const Graph> graph, int type,
             Column column, std::shared_ptr<const std::vector<uint64_t>> indptr,
             InternalIds internal)
      : RowSource(schema),
        graph_(std::move(graph)),
        type_(type),
        column_(std::move(column)),
        indptr_(std::move(indptr)),
        internal_(std::move(internal)) {}

  int64_t num_rows() const override {
    return static_cast<int64_t>(indptr_->back());
  }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    const size_t bytes = schema().row_bytes();
    for (int64_t position : rows) {
      const auto [part, at] = Find(static_cast<uint64_t>(position));
      std::memcpy(out, column_(*part).data() + at * bytes, bytes);
      out += bytes;
    }
  }

 private:
  // Returns the partition, and the position in its arrays, of a position by
  // original ids.
  std::pair<const EdgePartition*, uint64_t> Find(uint64_t position) const {
    const auto after =
        std::upper_bound(indptr_->begin(), indptr_->end(), position);
    const auto original = static_cast<size_t>(after - indptr_->begin()) - 1;
    const Place place = PlaceOf(*graph_, type_, (*internal_)[original]);
    return {place.part, place.begin + (position - (*indptr_)[original])};
  }

  const std::shared_ptr<const Graph> graph_;
  const int type_;
  const Column column_;
  const std::shared_ptr<const std::vector<uint64_t>> indptr_;
  const InternalIds internal_;
};

std::shared_ptr<const RowSource> TimeRows(std::vector<int64_t> times) {
  return std::make_shared<StoredRows<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                               std::move(times));
}

}  // namespace

std::shared_ptr<const RowSource> MakeNodeRows(
    ColumnSchema schema, std::shared_ptr<const Graph> graph, int node_type,
    absl::Span<const uint8_t> NodePartition::*column, InternalIds internal) {
  return std::make_shared<NodeRows>(schema, std::move(graph), node_type, column,
                                    std::move(internal));
}

std::shared_ptr<const RowSource> CopyNodeTimes(const Graph& graph,
                                               int node_type) {
  std::vector<int64_t> times(graph.schema().node_types[node_type].num_nodes);
  for (uint32_t p : graph.partitions()) {
    const NodePartition& nodes = *graph.nodes(node_type, p);
    for (size_t row = 0; row < nodes.time.size(); ++row) {
      times[nodes.orig_id[row]] = nodes.time[row];
    }
  }
  return TimeRows(std::move(times));
}

MappedEdgeRows::MappedEdgeRows(std::shared_ptr<const Graph> graph,
                               int edge_type, const Adjacency& in_edges,
                               InternalIds internal)
    : graph_(std::move(graph)),
      edge_type_(edge_type),
      indptr_(std::make_shared<std::vector<uint64_t>>(in_edges.indptr().begin(),
                                                      in_edges.indptr().end())),
      internal_(std::move(internal)) {}

std::shared_ptr<const RowSource> MappedEdgeRows::Column(
    ColumnSchema schema,
    absl::Span<const uint8_t> EdgePartition::*column) const {
  return std::make_shared<EdgeColumn>(
      schema, graph_, edge_type_,
      [column](const EdgePartition& part) { return part.*column; }, indptr_,
      internal_);
}

std::shared_ptr<const RowSource> MappedEdgeRows::Mask(size_t mask) const {
  return std::make_shared<EdgeColumn>(
      ColumnSchema{DType::kBool, 0}, graph_, edge_type_,
      [mask](const EdgePartition& part) { return part.masks[mask]; }, indptr_,
      internal_);
}

std::shared_ptr<const RowSource> MappedEdgeRows::CopyTimes() const {
  std::vector<int64_t> times(indptr_->back());
  const auto copy = [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const Place place = PlaceOf(*graph_, edge_type_, (*internal_)[v]);
      const TimeOrder& order = place.part->edge_time;
      const uint64_t first = (*indptr_)[v];
      for (uint64_t rank = 0; rank < (*indptr_)[v + 1] - first; ++rank) {
        times[first + order.position[place.begin + rank]] =
            order.time[place.begin + rank];
      }
    }
    return absl::OkStatus();
  };
  (void)ParallelFor(internal_->size(), kGrain, copy);  // the body never fails
  return TimeRows(std::move(times));
}

}  // namespace tributary
