#include "partition/pipeline/check/derived_check.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 8192;

double WeightAt(absl::Span<const uint8_t> weights, DType dtype, uint64_t i) {
  if (dtype == DType::kFloat32) {
    float value;
    std::memcpy(&value, weights.data() + i * sizeof(value), sizeof(value));
    return value;
  }
  double value;
  std::memcpy(&value, weights.data() + i * sizeof(value), sizeof(value));
  return value;
}

// Checks the rows of one partition; reuses its buffers for all rows.
class RowCheck {
 public:
  RowCheck(const Graph& graph, int type, uint32_t partition)
      : graph_(graph),
        type_(graph.schema().edge_types[type]),
        src_(graph.schema().node_types[type_.src_type]),
        partition_(partition),
        part_(*graph.edges(type, partition)) {}

  absl::Status Check(uint64_t row) {
    row_ = row;
    begin_ = part_.indptr[row];
    degree_ = part_.indptr[row + 1] - begin_;
    if (type_.weighted) RETURN_IF_ERROR(CheckWeightSums());
    if (type_.timed) {
      RETURN_IF_ERROR(CheckOrder("edge_time", part_.edge_time));
    }
    if (type_.neighbor_timed) {
      RETURN_IF_ERROR(CheckOrder("neighbor_time", part_.neighbor_time));
      RETURN_IF_ERROR(CheckNeighborTimes());
    }
    if (type_.neighbor_ids) RETURN_IF_ERROR(CheckNeighborIds());
    return CheckMasks();
  }

 private:
  absl::Status RowError(const std::string& what) const {
    return absl::DataLossError(absl::StrCat("type ", type_.name(),
                                            ", partition ", partition_,
                                            ", row ", row_, ": ", what));
  }

  absl::Status CheckWeightSums() {
    weights_.resize(degree_);
    sums_.resize(degree_);
    for (uint64_t i = 0; i < degree_; ++i) {
      weights_[i] = WeightAt(part_.weight, type_.weight_dtype, begin_ + i);
      if (IsWeight(weights_[i])) continue;
      return RowError(absl::StrCat("weight ", weights_[i], " of edge ",
                                   part_.edge_id[begin_ + i]));
    }
    SumWeights(weights_, absl::MakeSpan(sums_));
    for (uint64_t i = 0; i < degree_; ++i) {
      if (sums_[i] == part_.weight_sum[begin_ + i]) continue;
      return RowError(absl::StrCat("weight_sum of position ", i, " is ",
                                   part_.weight_sum[begin_ + i],
                                   "; the weights say ", sums_[i]));
    }
    return absl::OkStatus();
  }

  absl::Status CheckOrder(const std::string& name, const TimeOrder& order) {
    seen_.assign(degree_, false);
    for (uint64_t rank = 0; rank < degree_; ++rank) {
      const uint64_t at = begin_ + rank;
      const uint64_t position = order.position[at];
      if (position >= degree_ || seen_[position]) {
        return RowError(absl::StrCat(name, "_position ", position, " of rank ",
                                     rank, " among ", degree_,
                                     " is out of range or there twice"));
      }
      seen_[position] = true;
      if (rank == 0 ||
          TimedPosition{order.time[at - 1], order.position[at - 1]} <
              TimedPosition{order.time[at], position}) {
        continue;
      }
      return RowError(absl::StrCat(name, " ", order.time[at], " of rank ", rank,
                                   " is out of order"));
    }
    return absl::OkStatus();
  }

  // Returns the partition and row of the source of the edge at a position.
  std::pair<uint32_t, size_t> SourceAt(uint64_t position) const {
    const auto internal =
        static_cast<int64_t>(part_.indices[begin_ + position]);
    const uint32_t p = src_.PartitionOf(internal);
    return {p, static_cast<size_t>(internal - src_.base[p])};
  }

  absl::Status CheckNeighborTimes() const {
    const TimeOrder& order = part_.neighbor_time;
    for (uint64_t i = begin_; i < begin_ + degree_; ++i) {
      const auto [p, row] = SourceAt(order.position[i]);
      const int64_t time = graph_.nodes(type_.src_type, p)->time[row];
      if (order.time[i] == time) continue;
      return RowError(absl::StrCat("neighbor_time of position ",
                                   order.position[i], " is ", order.time[i],
                                   "; the node's is ", time));
    }
    return absl::OkStatus();
  }

  absl::Status CheckMasks() const {
    for (size_t m = 0; m < part_.masks.size(); ++m) {
      for (uint64_t i = 0; i < degree_; ++i) {
        const int value = part_.masks[m][begin_ + i];
        if (value <= 1) continue;
        return RowError(absl::StrCat("mask ", type_.masks[m], " of position ",
                                     i, " is ", value, "; allowed: 0, 1"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckNeighborIds() const {
    for (uint64_t i = 0; i < degree_; ++i) {
      const auto [p, row] = SourceAt(i);
      const auto id =
          static_cast<uint64_t>(graph_.nodes(type_.src_type, p)->orig_id[row]);
      if (part_.neighbor_id[begin_ + i] == id) continue;
      return RowError(absl::StrCat("neighbor_id of position ", i, " is ",
                                   part_.neighbor_id[begin_ + i],
                                   "; the node's is ", id));
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const EdgeTypeSchema& type_;
  const NodeTypeSchema& src_;
  const uint32_t partition_;
  const EdgePartition& part_;
  uint64_t row_ = 0, begin_ = 0, degree_ = 0;
  std::vector<double> weights_;
  std::vector<uint64_t> sums_;
  std::vector<bool> seen_;
};

absl::Status CheckDegree(const EdgeTypeSchema& type, const char* end,
                         const IdArray& degrees, int64_t node,
                         uint64_t counted) {
  const uint64_t stored = degrees[static_cast<size_t>(node)];
  if (stored == counted) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("type ", type.name(), ": the ", end, "-degree of node ",
                   node, " is ", stored, "; it has ", counted, " edges"));
}

absl::Status CheckDegrees(const Graph& graph, int edge_type) {
  const DegreeArrays& degrees = *graph.degrees(edge_type);
  const EdgeTypeSchema& type = graph.schema().edge_types[edge_type];
  const NodeTypeSchema& src = graph.schema().node_types[type.src_type];
  std::vector<uint64_t> out(src.num_nodes);  // by internal id
  for (uint32_t p : graph.partitions()) {
    const EdgePartition& part = *graph.edges(edge_type, p);
    const auto ids = graph.nodes(type.dst_type, p)->orig_id;
    for (size_t row = 0; row < ids.size(); ++row) {
      RETURN_IF_ERROR(CheckDegree(type, "in", degrees.in, ids[row],
                                  part.indptr[row + 1] - part.indptr[row]));
    }
    for (size_t i = 0; i < part.indices.size(); ++i) ++out[part.indices[i]];
  }
  for (uint32_t p : graph.partitions()) {
    const auto ids = graph.nodes(type.src_type, p)->orig_id;
    for (size_t row = 0; row < ids.size(); ++row) {
      RETURN_IF_ERROR(CheckDegree(type, "out", degrees.out, ids[row],
                                  out[src.base[p] + row]));
    }
  }
  return absl::OkStatus();
}

// Checks that every edge is where its id says, and that no other id has a
// place.
absl::Status CheckEdgeIndex(const Graph& graph, int edge_type) {
  const EdgeIndex& index = *graph.edge_index(edge_type);
  const EdgeTypeSchema& type = graph.schema().edge_types[edge_type];
  for (uint32_t p : graph.partitions()) {
    const IdArray& ids = graph.edges(edge_type, p)->edge_id;
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto stored = index.Locate(static_cast<int64_t>(ids[i]));
      if (stored.ok() && *stored == EdgeLocation{p, i}) continue;
      return absl::DataLossError(
          absl::StrCat("type ", type.name(), ": edge_index does not have edge ",
                       ids[i], " at position ", i, " of partition ", p));
    }
  }
  int64_t found = 0;
  for (uint64_t id = 0; id < index.num_ids(); ++id) {
    found += index.Locate(static_cast<int64_t>(id)).ok() ? 1 : 0;
  }
  if (found == type.num_edges) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("type ", type.name(), ": edge_index has places of ", found,
                   " edges; there are ", type.num_edges));
}

}  // namespace

absl::Status CheckDerived(const Graph& graph, int edge_type) {
  const EdgeTypeSchema& type = graph.schema().edge_types[edge_type];
  if (type.degrees) RETURN_IF_ERROR(CheckDegrees(graph, edge_type));
  if (type.edge_index) RETURN_IF_ERROR(CheckEdgeIndex(graph, edge_type));
  if (!type.weighted && !type.timed && !type.neighbor_timed &&
      !type.neighbor_ids && type.masks.empty()) {
    return absl::OkStatus();
  }
  for (uint32_t p : graph.partitions()) {
    const size_t rows = graph.edges(edge_type, p)->indptr.size() - 1;
    RETURN_IF_ERROR(ParallelFor(rows, kGrain, [&](size_t begin, size_t end) {
      RowCheck check(graph, edge_type, p);
      for (size_t row = begin; row < end; ++row) {
        RETURN_IF_ERROR(check.Check(row));
      }
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

}  // namespace tributary
