#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "common/proto/wire.pb.h"
#include "common/text/terminal_text.h"
#include "partition/format/row_ends.h"
#include "partition/schema/feature_columns.h"
#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/reads/reply_of.h"

namespace tributary {
namespace {

// The column of the same name in a request between servers; unspecified if
// those cannot ask for it.
v1::Column GatheredColumn(const v1::ReadColumnRequest& request) {
  const bool nodes = request.table_case() == v1::ReadColumnRequest::kNodeType;
  switch (request.column()) {
    case v1::STORED_COLUMN_ORIG_ID:
      return v1::COLUMN_ORIG_ID;
    case v1::STORED_COLUMN_X:
      return v1::COLUMN_X;
    case v1::STORED_COLUMN_Y:
      return v1::COLUMN_Y;
    case v1::STORED_COLUMN_EDGE_ATTR:
      return v1::COLUMN_EDGE_ATTR;
    case v1::STORED_COLUMN_TIME:
      return nodes ? v1::COLUMN_TIME : v1::COLUMN_UNSPECIFIED;
    default:
      return v1::COLUMN_UNSPECIFIED;
  }
}

// Returns the bytes of a row of a column that GatherColumn reads.
size_t GatheredRowBytes(const GraphSchema& schema,
                        const v1::ReadColumnRequest& request,
                        FeatureDType dtype) {
  if (request.table_case() == v1::ReadColumnRequest::kEdgeType) {
    const auto& column = schema.edge_types[request.edge_type()].edge_attr;
    return FeatureRowBytes(column, dtype);
  }
  const NodeTypeSchema& type = schema.node_types[request.node_type()];
  if (request.column() == v1::STORED_COLUMN_X && type.x.has_value()) {
    return FeatureRowBytes(type.x, dtype);
  }
  if (request.column() == v1::STORED_COLUMN_Y && type.y.has_value()) {
    return type.y->row_bytes();
  }
  return sizeof(int64_t);
}

// Reads a column that servers also read from each other.
absl::StatusOr<ItemRead> GatherColumn(const Graph& graph,
                                      const v1::ReadColumnRequest& request,
                                      absl::Span<const uint8_t> payload,
                                      const LeafLimits& limits,
                                      BudgetShare& budget) {
  v1::GatherRequest gather;
  gather.set_partition(request.partition());
  if (request.table_case() == v1::ReadColumnRequest::kNodeType) {
    gather.set_node_type(request.node_type());
  } else {
    gather.set_edge_type(request.edge_type());
  }
  gather.add_columns(GatheredColumn(request));
  gather.set_num_rows(request.num_rows());
  gather.set_max_reply_bytes(limits.max_reply_bytes);
  gather.set_timeout_ms(request.timeout_ms());
  gather.set_feature_dtype(request.feature_dtype());
  ASSIGN_OR_RETURN(const FeatureDType dtype,
                   FeatureDTypeFromCode(request.feature_dtype()));
  const size_t row_bytes = GatheredRowBytes(graph.schema(), request, dtype);
  // BeginGather would cut the reply.
  if (row_bytes > 0 &&
      request.num_rows() > limits.max_reply_bytes / row_bytes) {
    return ReplyOf(request.num_rows(), row_bytes, limits, budget).status();
  }
  ASSIGN_OR_RETURN(BegunGather begun,
                   BeginGather(graph, gather, payload, limits, budget));
  begun.reply.header.clear();
  // Converting a row, all of which is read, takes twice as long as copying it.
  const size_t stored_bytes =
      GatheredRowBytes(graph.schema(), request, FeatureDType::kStored);
  const uint64_t work =
      kRandomAccess + (dtype == FeatureDType::kStored
                           ? begun.row_bytes / 4
                           : std::max(stored_bytes, begun.row_bytes) / 2);
  return ItemRead(std::move(begun), work);
}

// Finds the times of edges, which are stored in their order within the
// destination's row. A row may be long: it is searched in pieces.
class TimeSearch {
 public:
  explicit TimeSearch(const EdgePartition& edges) : edges_(&edges) {}

  // Returns the time of the edge at `position`, or nothing if the slice was
  // used up before: then it goes on with the same position.
  std::optional<int64_t> Find(uint64_t position, WorkSlice& slice) {
    if (!searching_) Begin(position);
    while (at_ + 1 < end_ &&
           edges_->edge_time.position[at_] != position - begin_) {
      const uint64_t last = at_ + slice.Fitting(end_ - 1 - at_, kLookAtOneTime);
      const uint64_t first = at_;
      while (at_ < last &&
             edges_->edge_time.position[at_] != position - begin_) {
        ++at_;
      }
      slice.Spend((at_ - first) * kLookAtOneTime);
      if (slice.used_up()) return std::nullopt;
    }
    searching_ = false;
    return edges_->edge_time.time[at_];
  }

 private:
  static constexpr uint64_t kLookAtOneTime = 2;

  void Begin(uint64_t position) {
    const auto indptr = edges_->indptr;
    // Without the last one, so that a row is found in a file that was lost.
    const auto end =
        std::upper_bound(indptr.begin() + 1, indptr.end() - 1, position);
    const RowEnds ends =
        ReadRowEnds(indptr, static_cast<uint64_t>(end - indptr.begin() - 1));
    const bool is_row = ends.IsWithin(edges_->edge_id.size());
    at_ = begin_ = is_row ? ends.begin : 0;
    end_ = is_row ? ends.end : 0;
    searching_ = true;
  }

  const EdgePartition* edges_;
  bool searching_ = false;
  uint64_t begin_ = 0;  // of the row
  uint64_t end_ = 0;
  uint64_t at_ = 0;
};

// Reads columns of edges that only this call reads.
class EdgeColumnRead {
 public:
  EdgeColumnRead(const Graph& graph, const v1::ReadColumnRequest& request,
                 const EdgePartition& edges)
      : request_(request),
        schema_(graph.schema()),
        type_(schema_.edge_types[request.edge_type()]),
        edges_(edges) {}

  absl::StatusOr<ItemRead> Read(absl::Span<const uint8_t> payload,
                                const LeafLimits& limits,
                                BudgetShare& budget) const {
    ASSIGN_OR_RETURN(auto rows,
                     ItemsOf<uint64_t>(request_.num_rows(), payload));
    RETURN_IF_ERROR(CheckRows(rows, edges_.edge_id.size()));
    switch (request_.column()) {
      case v1::STORED_COLUMN_EDGE_ID:
        return EdgeIds(std::move(rows), limits, budget);
      case v1::STORED_COLUMN_TIME:
        if (!type_.timed) return NoColumn("time");
        return Times(std::move(rows), limits, budget);
      case v1::STORED_COLUMN_WEIGHT:
        if (!type_.weighted) return NoColumn("weight");
        return Copies(std::move(rows), DTypeSize(type_.weight_dtype),
                      edges_.weight, limits, budget);
      case v1::STORED_COLUMN_MASK:
        return Mask(std::move(rows), limits, budget);
      default:
        return NoColumn(absl::StrCat("column ", request_.column()));
    }
  }

 private:
  absl::Status NoColumn(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("edge type ", type_.name(),
                                                   " of graph '", schema_.name,
                                                   "' has no ", what));
  }

  absl::StatusOr<ItemRead> EdgeIds(std::vector<uint64_t> rows,
                                   const LeafLimits& limits,
                                   BudgetShare& budget) const {
    ASSIGN_OR_RETURN(LeafReply reply,
                     ReplyOf(rows.size(), sizeof(int64_t), limits, budget));
    auto* const out = reinterpret_cast<int64_t*>(reply.payload.data());
    const size_t num_rows = rows.size();
    return ItemRead(std::move(reply), num_rows, kRandomAccess,
                    [edges = &edges_, out, rows = std::move(rows)](
                        size_t from, size_t to, WorkSlice&) {
                      for (size_t i = from; i < to; ++i) {
                        out[i] = static_cast<int64_t>(edges->edge_id[rows[i]]);
                      }
                      return absl::StatusOr<size_t>(to - from);
                    });
  }

  absl::StatusOr<ItemRead> Times(std::vector<uint64_t> rows,
                                 const LeafLimits& limits,
                                 BudgetShare& budget) const {
    ASSIGN_OR_RETURN(LeafReply reply,
                     ReplyOf(rows.size(), sizeof(int64_t), limits, budget));
    auto* const out = reinterpret_cast<int64_t*>(reply.payload.data());
    const size_t num_rows = rows.size();
    return ItemRead(std::move(reply), num_rows, kBinarySearch,
                    [search = TimeSearch(edges_), out, rows = std::move(rows)](
                        size_t from, size_t to,
                        WorkSlice& slice) mutable -> absl::StatusOr<size_t> {
                      for (size_t i = from; i < to; ++i) {
                        const auto time = search.Find(rows[i], slice);
                        if (!time.has_value()) return i - from;
                        out[i] = *time;
                      }
                      return to - from;
                    });
  }

  static absl::StatusOr<ItemRead> Copies(std::vector<uint64_t> rows,
                                         size_t row_bytes,
                                         absl::Span<const uint8_t> column,
                                         const LeafLimits& limits,
                                         BudgetShare& budget) {
    ASSIGN_OR_RETURN(LeafReply reply,
                     ReplyOf(rows.size(), row_bytes, limits, budget));
    uint8_t* const out = reply.payload.data();
    const size_t num_rows = rows.size();
    return ItemRead(std::move(reply), num_rows, kRandomAccess,
                    [column, row_bytes, out, rows = std::move(rows)](
                        size_t from, size_t to, WorkSlice&) {
                      for (size_t i = from; i < to; ++i) {
                        std::memcpy(out + i * row_bytes,
                                    column.data() + rows[i] * row_bytes,
                                    row_bytes);
                      }
                      return absl::StatusOr<size_t>(to - from);
                    });
  }

  absl::StatusOr<ItemRead> Mask(std::vector<uint64_t> rows,
                                const LeafLimits& limits,
                                BudgetShare& budget) const {
    const auto& names = type_.masks;
    const auto found = std::find(names.begin(), names.end(), request_.mask());
    if (found == names.end()) {
      return NoColumn(
          absl::StrCat("mask '", TerminalLine(request_.mask()), "'"));
    }
    return Copies(std::move(rows), 1,
                  edges_.masks[std::distance(names.begin(), found)], limits,
                  budget);
  }

  const v1::ReadColumnRequest& request_;
  const GraphSchema& schema_;
  const EdgeTypeSchema& type_;
  const EdgePartition& edges_;
};

}  // namespace

absl::StatusOr<ItemRead> BeginReadColumn(const Graph& graph,
                                         const v1::ReadColumnRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         BudgetShare& budget) {
  const GraphSchema& schema = graph.schema();
  if (request.table_case() == v1::ReadColumnRequest::TABLE_NOT_SET) {
    return absl::InvalidArgumentError("neither node_type nor edge_type is set");
  }
  RETURN_IF_ERROR(
      CheckIndex("partition", request.partition(), schema.num_partitions));
  if (request.num_rows() > kMaxGraphReadItems) {
    return ItemsOf<uint64_t>(request.num_rows(), payload).status();
  }
  if (request.table_case() == v1::ReadColumnRequest::kEdgeType) {
    RETURN_IF_ERROR(
        CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
    const EdgePartition* edges =
        graph.edges(static_cast<int>(request.edge_type()), request.partition());
    if (edges == nullptr) return NotHere(graph, request.partition());
    if (GatheredColumn(request) == v1::COLUMN_UNSPECIFIED) {
      return EdgeColumnRead(graph, request, *edges)
          .Read(payload, limits, budget);
    }
  } else {
    RETURN_IF_ERROR(
        CheckIndex("node type", request.node_type(), schema.node_types.size()));
  }
  return GatherColumn(graph, request, payload, limits, budget);
}

}  // namespace tributary
