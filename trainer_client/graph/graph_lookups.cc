#include "trainer_client/graph/graph_lookups.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/reads/read_request.h"

namespace tributary {
namespace {

// The most items that one call carries; servers allow as many.
constexpr size_t kItemsPerCall = 65'536;

template <typename T>
T ValueAt(absl::Span<const uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

size_t ItemsPerCall(size_t reply_row_bytes) {
  const size_t row = std::max(reply_row_bytes, sizeof(uint64_t));
  return std::clamp<size_t>(kReadBytesPerCall / row, 1, kItemsPerCall);
}

absl::Status Nonsense(absl::string_view what, uint64_t value) {
  return absl::DataLossError(absl::StrCat("a server answered ", what, " ",
                                          value,
                                          ", which the graph does not have"));
}

}  // namespace

absl::Status GraphLookups::CheckIds(int node_type,
                                    absl::Span<const int64_t> ids) const {
  const NodeTypeSchema& type = schema_.node_types[node_type];
  for (int64_t id : ids) {
    if (id >= 0 && id < type.num_nodes) continue;
    return absl::OutOfRangeError(
        absl::StrCat("there is no node ", id, " of type ", type.name,
                     "; ids are 0 to ", type.num_nodes, " - 1"));
  }
  return absl::OkStatus();
}

absl::Status GraphLookups::ReadIds(MessageKind kind,
                                   absl::Span<const int64_t> ids,
                                   size_t row_bytes, const MakeHeader& header,
                                   const TakeRow& take) const {
  const size_t most = ItemsPerCall(row_bytes);
  std::vector<GraphRead> reads;
  for (size_t at = 0; at < ids.size(); at += most) {
    const auto part = ids.subspan(at, most);
    GraphRead& read = reads.emplace_back();
    read.kind = kind;
    read.header = header(0, part.size());
    read.payload = PayloadOf(part);
    read.reply_bytes = part.size() * row_bytes;
  }
  ASSIGN_OR_RETURN(const auto replies, connection_->Read(std::move(reads)));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto reply = replies[i / most].span();
    RETURN_IF_ERROR(take(i, reply, i % most, reply.size() / row_bytes));
  }
  return absl::OkStatus();
}

absl::Status GraphLookups::ReadRows(MessageKind kind,
                                    absl::Span<const PlacedRow> rows,
                                    size_t row_bytes, const MakeHeader& header,
                                    const TakeRow& take) const {
  std::map<uint32_t, std::vector<size_t>> by_partition;  // indices in `rows`
  for (size_t i = 0; i < rows.size(); ++i) {
    by_partition[rows[i].partition].push_back(i);
  }
  const size_t most = ItemsPerCall(row_bytes);
  std::vector<GraphRead> reads;
  std::vector<absl::Span<const size_t>> parts;  // the rows of each read
  std::vector<uint64_t> numbers;
  for (const auto& [partition, indices] : by_partition) {
    for (size_t at = 0; at < indices.size(); at += most) {
      parts.push_back(absl::MakeConstSpan(indices).subspan(at, most));
      numbers.clear();
      for (size_t i : parts.back()) numbers.push_back(rows[i].row);
      GraphRead& read = reads.emplace_back();
      read.kind = kind;
      read.partition = partition;
      read.header = header(partition, numbers.size());
      read.payload = PayloadOf(absl::MakeConstSpan(numbers));
      read.reply_bytes = numbers.size() * row_bytes;
    }
  }
  ASSIGN_OR_RETURN(const auto replies, connection_->Read(std::move(reads)));
  for (size_t r = 0; r < parts.size(); ++r) {
    for (size_t k = 0; k < parts[r].size(); ++k) {
      RETURN_IF_ERROR(take(parts[r][k], replies[r].span(), k, parts[r].size()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> GraphLookups::InternalIds(
    int node_type, absl::Span<const int64_t> ids) const {
  RETURN_IF_ERROR(CheckIds(node_type, ids));
  const auto num_nodes =
      static_cast<uint64_t>(schema_.node_types[node_type].num_nodes);
  std::vector<int64_t> internal(ids.size());
  RETURN_IF_ERROR(ReadIds(
      MessageKind::kLocateNodesRequest, ids, sizeof(uint64_t),
      [&](uint32_t, size_t count) {
        auto request = ReadRequestOf<v1::LocateNodesRequest>(schema_);
        request.set_node_type(static_cast<uint32_t>(node_type));
        request.set_num_ids(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t) {
        const auto id = ValueAt<uint64_t>(reply, at * sizeof(uint64_t));
        if (id >= num_nodes) return Nonsense("internal id", id);
        internal[i] = static_cast<int64_t>(id);
        return absl::OkStatus();
      }));
  return internal;
}

absl::StatusOr<std::vector<PlacedRow>> GraphLookups::LocateNodes(
    int node_type, absl::Span<const int64_t> ids) const {
  ASSIGN_OR_RETURN(const auto internal, InternalIds(node_type, ids));
  const NodeTypeSchema& type = schema_.node_types[node_type];
  std::vector<PlacedRow> rows;
  rows.reserve(ids.size());
  for (int64_t id : internal) {
    const uint32_t p = type.PartitionOf(id);
    rows.push_back({p, static_cast<uint64_t>(id - type.base[p])});
  }
  return rows;
}

absl::StatusOr<std::vector<int64_t>> GraphLookups::OriginalIds(
    int node_type, absl::Span<const int64_t> internal) const {
  RETURN_IF_ERROR(CheckIds(node_type, internal));
  const NodeTypeSchema& type = schema_.node_types[node_type];
  std::vector<PlacedRow> rows;
  rows.reserve(internal.size());
  for (int64_t id : internal) {
    const uint32_t p = type.PartitionOf(id);
    rows.push_back({p, static_cast<uint64_t>(id - type.base[p])});
  }
  std::vector<int64_t> ids(internal.size());
  RETURN_IF_ERROR(
      ReadColumn({.type = node_type,
                  .column = v1::STORED_COLUMN_ORIG_ID,
                  .row_bytes = sizeof(int64_t)},
                 rows,
                 absl::MakeSpan(reinterpret_cast<uint8_t*>(ids.data()),
                                ids.size() * sizeof(int64_t))));
  const absl::Status inside = CheckIds(node_type, ids);
  if (inside.ok()) return ids;
  return absl::DataLossError(inside.message());
}

absl::StatusOr<std::vector<PlacedRow>> GraphLookups::LocateEdges(
    int edge_type, absl::Span<const int64_t> ids) const {
  const EdgeTypeSchema& type = schema_.edge_types[edge_type];
  if (!type.edge_index) {
    return absl::FailedPreconditionError(absl::StrCat(
        "graph '", schema_.name, "' stores no edge index of ", type.name(),
        "; look-ups by edge id need a graph partitioned with --edge-index "
        "(tributary partition --edge-index)"));
  }
  for (int64_t id : ids) {
    if (id >= 0 && id < type.num_edge_ids) continue;
    return absl::OutOfRangeError(
        absl::StrCat("there is no edge ", id, " of type ", type.name(),
                     "; ids are 0 to ", type.num_edge_ids, " - 1"));
  }
  std::vector<PlacedRow> rows(ids.size());
  RETURN_IF_ERROR(ReadIds(
      MessageKind::kLocateEdgesRequest, ids,
      sizeof(uint64_t) + sizeof(uint32_t),
      [&](uint32_t, size_t count) {
        auto request = ReadRequestOf<v1::LocateEdgesRequest>(schema_);
        request.set_edge_type(static_cast<uint32_t>(edge_type));
        request.set_num_ids(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t count) {
        rows[i].row = ValueAt<uint64_t>(reply, at * sizeof(uint64_t));
        rows[i].partition = ValueAt<uint32_t>(
            reply, count * sizeof(uint64_t) + at * sizeof(uint32_t));
        if (rows[i].partition >= schema_.num_partitions) {
          return Nonsense("partition", rows[i].partition);
        }
        const auto edges =
            static_cast<uint64_t>(type.partition_edges[rows[i].partition]);
        if (rows[i].row >= edges) return Nonsense("position", rows[i].row);
        return absl::OkStatus();
      }));
  return rows;
}

absl::Status GraphLookups::ReadColumn(const ColumnOfTable& column,
                                      absl::Span<const PlacedRow> rows,
                                      absl::Span<uint8_t> out) const {
  const size_t row_bytes = column.row_bytes;
  return ReadRows(
      MessageKind::kReadColumnRequest, rows, row_bytes,
      [&](uint32_t partition, size_t count) {
        auto request = ReadRequestOf<v1::ReadColumnRequest>(schema_);
        request.set_partition(partition);
        if (column.of_edges) {
          request.set_edge_type(static_cast<uint32_t>(column.type));
        } else {
          request.set_node_type(static_cast<uint32_t>(column.type));
        }
        request.set_column(column.column);
        request.set_mask(column.mask);
        request.set_num_rows(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t) {
        if (row_bytes == 0) return absl::OkStatus();
        std::memcpy(out.data() + i * row_bytes, reply.data() + at * row_bytes,
                    row_bytes);
        return absl::OkStatus();
      });
}

absl::StatusOr<EdgeEnds> GraphLookups::FindEdges(
    int edge_type, absl::Span<const int64_t> ids) const {
  const EdgeTypeSchema& type = schema_.edge_types[edge_type];
  ASSIGN_OR_RETURN(const auto rows, LocateEdges(edge_type, ids));
  std::vector<int64_t> sources(ids.size());  // internal
  EdgeEnds ends;
  ends.dst.resize(ids.size());
  RETURN_IF_ERROR(ReadRows(
      MessageKind::kFindEdgesRequest, rows, 2 * sizeof(uint64_t),
      [&](uint32_t partition, size_t count) {
        auto request = ReadRequestOf<v1::FindEdgesRequest>(schema_);
        request.set_partition(partition);
        request.set_edge_type(static_cast<uint32_t>(edge_type));
        request.set_num_edges(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t count) {
        sources[i] = ValueAt<int64_t>(reply, at * sizeof(uint64_t));
        ends.dst[i] = ValueAt<int64_t>(reply, (count + at) * sizeof(uint64_t));
        return absl::OkStatus();
      }));
  absl::Status inside = CheckIds(type.src_type, sources);
  inside.Update(CheckIds(type.dst_type, ends.dst));
  if (!inside.ok()) return absl::DataLossError(inside.message());
  ASSIGN_OR_RETURN(ends.src, OriginalIds(type.src_type, sources));
  return ends;
}

absl::StatusOr<std::vector<int64_t>> GraphLookups::InDegrees(
    int edge_type, absl::Span<const int64_t> ids) const {
  ASSIGN_OR_RETURN(const auto rows,
                   LocateNodes(schema_.edge_types[edge_type].dst_type, ids));
  std::vector<int64_t> degrees(ids.size());
  RETURN_IF_ERROR(ReadRows(
      MessageKind::kNodeDegreesRequest, rows, sizeof(uint64_t),
      [&](uint32_t partition, size_t count) {
        auto request = ReadRequestOf<v1::NodeDegreesRequest>(schema_);
        request.set_partition(partition);
        request.set_edge_type(static_cast<uint32_t>(edge_type));
        request.set_num_nodes(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t) {
        degrees[i] = ValueAt<int64_t>(reply, at * sizeof(uint64_t));
        return absl::OkStatus();
      }));
  return degrees;
}

absl::StatusOr<std::vector<int64_t>> GraphLookups::OutDegrees(
    int edge_type, absl::Span<const int64_t> ids) const {
  const EdgeTypeSchema& type = schema_.edge_types[edge_type];
  if (!type.degrees) {
    const int reverse = schema_.ReverseOf(edge_type);
    if (reverse >= 0) return InDegrees(reverse, ids);
    return absl::FailedPreconditionError(
        absl::StrCat("graph '", schema_.name,
                     "' stores neither out-degrees nor reverse "
                     "edges of ",
                     type.name(),
                     "; allowed: a graph partitioned with "
                     "--degrees, --add-reverse (typed) or --out-edges"));
  }
  RETURN_IF_ERROR(CheckIds(type.src_type, ids));
  std::vector<int64_t> degrees(ids.size());
  RETURN_IF_ERROR(ReadIds(
      MessageKind::kNodeDegreesRequest, ids, sizeof(uint64_t),
      [&](uint32_t, size_t count) {
        auto request = ReadRequestOf<v1::NodeDegreesRequest>(schema_);
        request.set_edge_type(static_cast<uint32_t>(edge_type));
        request.set_out(true);
        request.set_num_nodes(count);
        return request.SerializeAsString();
      },
      [&](size_t i, absl::Span<const uint8_t> reply, size_t at, size_t) {
        degrees[i] = ValueAt<int64_t>(reply, at * sizeof(uint64_t));
        return absl::OkStatus();
      }));
  return degrees;
}

}  // namespace tributary
