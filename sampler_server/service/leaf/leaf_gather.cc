#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/gather/gather.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "sampler_server/service/leaf/leaf_checks.h"

namespace tributary {
namespace {

// The table that a request asks for: a partition's nodes or its edges.
struct TableRows {
  uint64_t num_rows = 0;
  // Either these or the two after them are set.
  const NodePartition* nodes = nullptr;
  const NodeTypeSchema* node_type = nullptr;
  const EdgePartition* edges = nullptr;
  const EdgeTypeSchema* edge_type = nullptr;
};

absl::StatusOr<TableRows> FindTable(const Graph& graph,
                                    const v1::GatherRequest& request) {
  const GraphSchema& schema = graph.schema();
  TableRows table;
  if (request.table_case() == v1::GatherRequest::kNodeType) {
    RETURN_IF_ERROR(
        CheckIndex("node type", request.node_type(), schema.node_types.size()));
    table.node_type = &schema.node_types[request.node_type()];
    table.nodes = graph.nodes(request.node_type(), request.partition());
    if (table.nodes == nullptr) return NotHere(graph, request.partition());
    table.num_rows = table.nodes->orig_id.size();
    return table;
  }
  if (request.table_case() == v1::GatherRequest::kEdgeType) {
    RETURN_IF_ERROR(
        CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
    table.edge_type = &schema.edge_types[request.edge_type()];
    table.edges = graph.edges(request.edge_type(), request.partition());
    if (table.edges == nullptr) return NotHere(graph, request.partition());
    table.num_rows = table.edges->edge_id.size();
    return table;
  }
  return absl::InvalidArgumentError("neither node_type nor edge_type is set");
}

absl::Span<const uint8_t> AsBytes(absl::Span<const int64_t> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(int64_t)};
}

// A column, and the form that its rows take in the reply.
struct AskedColumn {
  RowTable table;
  RowForm form;
  const RowFile* file = nullptr;  // set where the column is not in memory
};

AskedColumn Stored(absl::Span<const uint8_t> bytes, size_t row_bytes) {
  return {{bytes, row_bytes}, RowForm::Copied(row_bytes)};
}

AskedColumn Features(absl::Span<const uint8_t> bytes, const RowFile* file,
                     const ColumnSchema& stored, FeatureDType asked) {
  return {{bytes, stored.row_bytes()}, RowForm::Of(stored, asked), file};
}

absl::StatusOr<AskedColumn> FindColumn(const TableRows& table, int column,
                                       FeatureDType asked) {
  if (table.nodes != nullptr) {
    if (column == v1::COLUMN_ORIG_ID) {
      return Stored(AsBytes(table.nodes->orig_id), sizeof(int64_t));
    }
    if (column == v1::COLUMN_TIME && table.node_type->timed) {
      return Stored(AsBytes(table.nodes->time), sizeof(int64_t));
    }
    if (column == v1::COLUMN_X && table.node_type->x) {
      return Features(table.nodes->x, table.nodes->x_file, *table.node_type->x,
                      asked);
    }
    if (column == v1::COLUMN_Y && table.node_type->y) {
      return Stored(table.nodes->y, table.node_type->y->row_bytes());
    }
  } else if (column == v1::COLUMN_EDGE_ATTR && table.edge_type->edge_attr) {
    return Features(table.edges->edge_attr, table.edges->edge_attr_file,
                    *table.edge_type->edge_attr, asked);
  } else if (column == v1::COLUMN_WEIGHT && table.edge_type->weighted) {
    return Stored(table.edges->weight,
                  DTypeSize(table.edge_type->weight_dtype));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("column ", column, " is not one of this table"));
}

absl::StatusOr<std::vector<AskedColumn>> FindColumns(
    const TableRows& table, const v1::GatherRequest& request) {
  constexpr int kMostColumns = 4;  // orig_id, x, y, time
  if (request.columns().empty() || request.columns_size() > kMostColumns) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.columns_size(), " columns asked for; 1 to ",
                     kMostColumns, " are possible"));
  }
  ASSIGN_OR_RETURN(const FeatureDType asked,
                   FeatureDTypeFromCode(request.feature_dtype()));
  std::vector<AskedColumn> columns;
  for (int column : request.columns()) {
    ASSIGN_OR_RETURN(columns.emplace_back(), FindColumn(table, column, asked));
  }
  return columns;
}

}  // namespace

void BegunGather::Copy(size_t from, size_t to) {
  const auto rows =
      absl::MakeConstSpan(reply.unread.rows).subspan(from, to - from);
  for (const Column& column : columns) {
    uint8_t* const values = reply.payload.data() + column.at;
    uint8_t* const scales = values + num_rows() * column.form.row_bytes;
    GatherRows(column.table, column.form, rows, {},
               values + from * column.form.row_bytes,
               scales + from * column.form.scale_bytes());
  }
}

LeafReply BegunGather::Finish() {
  if (reply.unread.columns.empty()) reply.unread.rows = {};
  return std::move(reply);
}

absl::StatusOr<BegunGather> BeginGather(const Graph& graph,
                                        const v1::GatherRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget) {
  RETURN_IF_ERROR(CheckIndex("partition", request.partition(),
                             graph.schema().num_partitions));
  ASSIGN_OR_RETURN(const TableRows table, FindTable(graph, request));
  ASSIGN_OR_RETURN(const std::vector<AskedColumn> columns,
                   FindColumns(table, request));
  RETURN_IF_ERROR(
      CheckPayload(request.num_rows(), sizeof(uint64_t), payload.size()));
  size_t row_bytes = 0;
  for (const AskedColumn& column : columns)
    row_bytes += column.form.all_bytes();
  const uint64_t most =
      std::min<uint64_t>(request.max_reply_bytes(), limits.max_reply_bytes);
  if (most < row_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a reply may have ", most, " bytes; one row takes ", row_bytes));
  }
  const size_t n = std::min<uint64_t>(request.num_rows(), most / row_bytes);
  auto rows = CopyArray<uint64_t>(payload, n);
  RETURN_IF_ERROR(CheckRows(rows, table.num_rows));

  // The row numbers, and the order in which files are read, stay in memory
  // until the rows are here.
  const bool reads = std::any_of(
      columns.begin(), columns.end(),
      [](const AskedColumn& column) { return column.file != nullptr; });
  ASSIGN_OR_RETURN(
      BudgetShare::Hold reservation,
      budget.TryTake(n * (row_bytes + (reads ? 2 * sizeof(uint64_t) : 0))));
  v1::GatherReply header;
  header.set_rows(n);
  BegunGather begun;
  begun.row_bytes = row_bytes;
  begun.reply = {header.SerializeAsString(), AlignedBuffer(n * row_bytes),
                 std::move(reservation)};
  UnreadRows& unread = begun.reply.unread;
  unread.rows = std::move(rows);
  unread.timeout_ms = request.timeout_ms();
  size_t at = 0;
  for (const AskedColumn& column : columns) {
    if (column.file != nullptr) {
      unread.columns.push_back({column.file, column.form, at});
    } else {
      begun.columns.push_back({column.table, column.form, at});
    }
    at += n * column.form.all_bytes();
  }
  return begun;
}

absl::StatusOr<LeafReply> ServeGather(const Graph& graph,
                                      const v1::GatherRequest& request,
                                      absl::Span<const uint8_t> payload,
                                      const LeafLimits& limits,
                                      BudgetShare& budget) {
  ASSIGN_OR_RETURN(BegunGather gather,
                   BeginGather(graph, request, payload, limits, budget));
  gather.Copy(0, gather.num_rows());
  return gather.Finish();
}

}  // namespace tributary
