#include <algorithm>
#include <cstring>
#include <iterator>

#include "common/proto/wire.pb.h"
#include "common/text/terminal_text.h"
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

// Returns the bytes of a row of a column that ServeGather answers.
size_t GatheredRowBytes(const GraphSchema& schema,
                        const v1::ReadColumnRequest& request) {
  if (request.table_case() == v1::ReadColumnRequest::kEdgeType) {
    const auto& column = schema.edge_types[request.edge_type()].edge_attr;
    return FeatureRowBytes(column, FeatureDType::kStored);
  }
  const NodeTypeSchema& type = schema.node_types[request.node_type()];
  if (request.column() == v1::STORED_COLUMN_X && type.x.has_value()) {
    return FeatureRowBytes(type.x, FeatureDType::kStored);
  }
  if (request.column() == v1::STORED_COLUMN_Y && type.y.has_value()) {
    return type.y->row_bytes();
  }
  return sizeof(int64_t);
}

// Reads a column that servers also read from each other.
absl::StatusOr<LeafReply> GatherColumn(const Graph& graph,
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
  const size_t row_bytes = GatheredRowBytes(graph.schema(), request);
  // ServeGather would cut the reply.
  if (row_bytes > 0 &&
      request.num_rows() > limits.max_reply_bytes / row_bytes) {
    return ReplyOf(request.num_rows(), row_bytes, limits, budget).status();
  }
  ASSIGN_OR_RETURN(LeafReply reply,
                   ServeGather(graph, gather, payload, limits, budget));
  reply.header.clear();
  return reply;
}

// Reads columns of edges that only this call reads.
class EdgeColumnRead {
 public:
  EdgeColumnRead(const Graph& graph, const v1::ReadColumnRequest& request,
                 const EdgePartition& edges)
      : request_(request),
        schema_(graph.schema()),
        type_(schema_.edge_types[request.edge_type()]),
        edges_(edges) {}

  absl::StatusOr<LeafReply> Read(absl::Span<const uint8_t> payload,
                                 const LeafLimits& limits,
                                 BudgetShare& budget) const {
    ASSIGN_OR_RETURN(const auto rows,
                     ItemsOf<uint64_t>(request_.num_rows(), payload));
    RETURN_IF_ERROR(CheckRows(rows, edges_.edge_id.size()));
    switch (request_.column()) {
      case v1::STORED_COLUMN_EDGE_ID:
        return Values(rows, limits, budget, [this](uint64_t row) {
          return static_cast<int64_t>(edges_.edge_id[row]);
        });
      case v1::STORED_COLUMN_TIME:
        if (!type_.timed) return NoColumn("time");
        return Values(rows, limits, budget,
                      [this](uint64_t row) { return TimeAt(row); });
      case v1::STORED_COLUMN_WEIGHT:
        if (!type_.weighted) return NoColumn("weight");
        return Copies(rows, DTypeSize(type_.weight_dtype), edges_.weight,
                      limits, budget);
      case v1::STORED_COLUMN_MASK:
        return Mask(rows, limits, budget);
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

  template <typename Value>
  absl::StatusOr<LeafReply> Values(const std::vector<uint64_t>& rows,
                                   const LeafLimits& limits,
                                   BudgetShare& budget, Value value) const {
    using T = decltype(value(0));
    ASSIGN_OR_RETURN(LeafReply reply,
                     ReplyOf(rows.size(), sizeof(T), limits, budget));
    auto* const to = reinterpret_cast<T*>(reply.payload.data());
    for (size_t i = 0; i < rows.size(); ++i) to[i] = value(rows[i]);
    return reply;
  }

  static absl::StatusOr<LeafReply> Copies(const std::vector<uint64_t>& rows,
                                          size_t row_bytes,
                                          absl::Span<const uint8_t> column,
                                          const LeafLimits& limits,
                                          BudgetShare& budget) {
    ASSIGN_OR_RETURN(LeafReply reply,
                     ReplyOf(rows.size(), row_bytes, limits, budget));
    uint8_t* to = reply.payload.data();
    for (uint64_t row : rows) {
      std::memcpy(to, column.data() + row * row_bytes, row_bytes);
      to += row_bytes;
    }
    return reply;
  }

  absl::StatusOr<LeafReply> Mask(const std::vector<uint64_t>& rows,
                                 const LeafLimits& limits,
                                 BudgetShare& budget) const {
    const auto& names = type_.masks;
    const auto found = std::find(names.begin(), names.end(), request_.mask());
    if (found == names.end()) {
      return NoColumn(
          absl::StrCat("mask '", TerminalLine(request_.mask()), "'"));
    }
    return Copies(rows, 1, edges_.masks[std::distance(names.begin(), found)],
                  limits, budget);
  }

  // Times are stored in their order within the destination's row.
  int64_t TimeAt(uint64_t position) const {
    const auto indptr = edges_.indptr;
    const auto end = std::upper_bound(indptr.begin(), indptr.end(), position);
    const uint64_t begin = *(end - 1);
    uint64_t at = begin;
    while (at + 1 < *end && edges_.edge_time.position[at] != position - begin) {
      ++at;
    }
    return edges_.edge_time.time[at];
  }

  const v1::ReadColumnRequest& request_;
  const GraphSchema& schema_;
  const EdgeTypeSchema& type_;
  const EdgePartition& edges_;
};

}  // namespace

absl::StatusOr<LeafReply> ServeReadColumn(const Graph& graph,
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
