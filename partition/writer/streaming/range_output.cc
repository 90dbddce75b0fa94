#include "partition/writer/streaming/range_output.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "common/hash/sha256.h"
#include "common/random/integer_weight.h"
#include "common/text/status.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

// A record is hashed in pieces of this size, so that a hub's is never in memory
// as a whole.
constexpr size_t kHashAt = size_t{256} << 10;
// How many edges ahead a node's internal id is fetched.
constexpr uint64_t kAhead = 24;

using Bytes = std::vector<uint8_t>;

template <typename T>
void Put(Bytes& out, T value) {
  const size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

void PutId(Bytes& out, bool wide, int64_t id) {
  if (wide) {
    Put(out, static_cast<uint64_t>(id));
  } else {
    Put(out, static_cast<uint32_t>(id));
  }
}

void PutBytes(Bytes& out, const uint8_t* from, size_t bytes) {
  out.insert(out.end(), from, from + bytes);
}

void PutName(Bytes& out, const std::string& name) {
  Put(out, static_cast<uint32_t>(name.size()));
  PutBytes(out, reinterpret_cast<const uint8_t*>(name.data()), name.size());
}

// A column of the range's nodes.
struct NodeRows {
  Bytes bytes;
  size_t row_bytes = 0;

  static absl::StatusOr<NodeRows> Read(const ColumnPtr& column, int64_t begin,
                                       int64_t end) {
    NodeRows rows;
    if (column == nullptr) return rows;
    rows.row_bytes = column->schema().row_bytes();
    rows.bytes.resize(static_cast<size_t>(end - begin) * rows.row_bytes);
    RETURN_IF_ERROR(column->Read(begin, end - begin, rows.bytes.data()));
    return rows;
  }
  const uint8_t* row(size_t i) const { return bytes.data() + i * row_bytes; }
};

// Writes the edges of one type, row by row.
class EdgeOutput {
 public:
  EdgeOutput(const RangeInput& input, const EdgeArrays& arrays,
             const SortedEdges& edges)
      : arrays_(arrays),
        edges_(edges),
        form_(input.forms[arrays.edge_type]),
        schema_(input.schema.edge_types[arrays.edge_type]),
        sources_(input.nodes[schema_.src_type]) {
    PutName(name_, schema_.name());
    size_t at = 0;
    if (schema_.edge_attr.has_value()) at += schema_.edge_attr->row_bytes();
    weight_at_ = at;
    if (schema_.weighted) at += DTypeSize(schema_.weight_dtype);
    time_at_ = at;
    if (schema_.timed) at += sizeof(int64_t);
    masks_at_ = at;
  }

  // Appends the row of the range's node `v` to the pieces of `partition` and to
  // the node's record, of which `sha` takes over what has become long.
  void PutRow(size_t v, uint32_t partition, RangeOutput& out, Bytes& record,
              Sha256& sha) {
    const uint64_t begin = edges_.indptr()[v], end = edges_.indptr()[v + 1];
    auto piece = [&](const ArrayPlace& place) -> Bytes& {
      return out.pieces[place.of(partition)];
    };
    PutBytes(record, name_.data(), name_.size());
    Put(record, end - begin);
    Put(piece(arrays_.indptr), end - begin);
    if (arrays_.in_degrees) {
      PutId(out.pieces[arrays_.in_degrees.first], arrays_.wide_degrees,
            static_cast<int64_t>(end - begin));
    }
    Bytes& indices = piece(arrays_.indices);
    Bytes& ids = piece(arrays_.edge_id);
    for (uint64_t i = begin; i < end; ++i) {
      if (i + kAhead < edges_.num_edges()) {
        sources_.Prefetch(edges_.edge(i + kAhead).neighbor);
      }
      const InEdge edge = edges_.edge(i);
      PutId(indices, arrays_.wide_indices, sources_.internal(edge.neighbor));
      PutId(ids, arrays_.wide_ids, edge.edge_id);
      const int64_t key[] = {edge.neighbor, edge.edge_id};
      PutBytes(record, reinterpret_cast<const uint8_t*>(key), sizeof(key));
      if (form_.column_bytes != 0) {
        PutBytes(record, edges_.columns(i), form_.column_bytes);
      }
      if (record.size() >= kHashAt) {
        sha.Update(record);
        record.clear();
      }
    }
    if (arrays_.neighbor_id) PutNeighborIds(begin, end, piece);
    if (form_.column_bytes != 0) PutColumns(begin, end, piece);
    if (arrays_.weight) PutSums(begin, end, piece);
    if (arrays_.edge_time) {
      PutTimes(begin, end, partition, piece(arrays_.edge_time),
               piece(arrays_.edge_time_position),
               [&](uint64_t i) { return TimeOf(i); });
    }
    if (arrays_.neighbor_time) {
      PutTimes(begin, end, partition, piece(arrays_.neighbor_time),
               piece(arrays_.neighbor_time_position), [&](uint64_t i) {
                 return sources_.time(edges_.edge(i).neighbor);
               });
    }
  }

 private:
  template <typename Piece>
  void PutNeighborIds(uint64_t begin, uint64_t end, Piece& piece) {
    Bytes& out = piece(arrays_.neighbor_id);
    for (uint64_t i = begin; i < end; ++i) {
      PutId(out, arrays_.wide_indices, edges_.edge(i).neighbor);
    }
  }

  template <typename Piece>
  void PutColumns(uint64_t begin, uint64_t end, Piece& piece) {
    const auto put = [&](const ArrayPlace& place, size_t at, size_t bytes) {
      Bytes& out = piece(place);
      for (uint64_t i = begin; i < end; ++i) {
        PutBytes(out, edges_.columns(i) + at, bytes);
      }
    };
    if (arrays_.edge_attr) put(arrays_.edge_attr, 0, weight_at_);
    if (arrays_.weight) put(arrays_.weight, weight_at_, time_at_ - weight_at_);
    for (size_t m = 0; m < arrays_.masks.size(); ++m) {
      put(arrays_.masks[m], masks_at_ + m, 1);
    }
  }

  template <typename Piece>
  void PutSums(uint64_t begin, uint64_t end, Piece& piece) {
    weights_.clear();
    for (uint64_t i = begin; i < end; ++i) {
      const uint8_t* from = edges_.columns(i) + weight_at_;
      if (schema_.weight_dtype == DType::kFloat32) {
        float weight = 0;
        std::memcpy(&weight, from, sizeof(weight));
        weights_.push_back(weight);
      } else {
        double weight = 0;
        std::memcpy(&weight, from, sizeof(weight));
        weights_.push_back(weight);
      }
    }
    sums_.resize(weights_.size());
    SumWeights(weights_, absl::MakeSpan(sums_));
    PutBytes(piece(arrays_.weight_sum),
             reinterpret_cast<const uint8_t*>(sums_.data()),
             sums_.size() * sizeof(uint64_t));
  }

  int64_t TimeOf(uint64_t i) const {
    int64_t time = 0;
    std::memcpy(&time, edges_.columns(i) + time_at_, sizeof(time));
    return time;
  }

  template <typename TimeAt>
  void PutTimes(uint64_t begin, uint64_t end, uint32_t partition, Bytes& times,
                Bytes& positions, TimeAt time_at) {
    row_times_.clear();
    for (uint64_t i = begin; i < end; ++i) row_times_.push_back(time_at(i));
    OrderByTime(row_times_, order_);
    for (const TimedPosition& edge : order_) {
      Put(times, edge.time);
      PutId(positions, arrays_.wide_positions[partition],
            static_cast<int64_t>(edge.position));
    }
  }

  const EdgeArrays& arrays_;
  const SortedEdges& edges_;
  const EdgeRecordForm& form_;
  const EdgeTypeSchema& schema_;
  const NodeTable& sources_;
  Bytes name_;
  size_t weight_at_ = 0, time_at_ = 0, masks_at_ = 0;
  std::vector<double> weights_;
  std::vector<uint64_t> sums_;
  std::vector<int64_t> row_times_;
  std::vector<TimedPosition> order_;
};

}  // namespace

absl::StatusOr<RangeOutput> MakeRangeOutput(
    const RangeInput& input, int64_t begin, int64_t end,
    const std::vector<SortedEdges>& edges) {
  const NodeSource& type = input.source.node_types[input.node_type];
  const TypeArrays& arrays = input.arrays;
  ASSIGN_OR_RETURN(const NodeRows x, NodeRows::Read(type.x, begin, end));
  ASSIGN_OR_RETURN(const NodeRows y, NodeRows::Read(type.y, begin, end));
  ASSIGN_OR_RETURN(const NodeRows time, NodeRows::Read(type.time, begin, end));
  std::vector<EdgeOutput> edge_outputs;
  edge_outputs.reserve(edges.size());
  for (size_t e = 0; e < edges.size(); ++e) {
    edge_outputs.emplace_back(input, arrays.edges[e], edges[e]);
  }
  const auto partition_of = input.nodes[input.node_type].partition_of();
  RangeOutput out;
  out.pieces.resize(arrays.arrays.size());
  Bytes prefix, record;
  for (char c : std::string("tributary.node")) {
    prefix.push_back(static_cast<uint8_t>(c));
  }
  PutName(prefix, type.name);
  Sha256 sha;
  for (int64_t node = begin; node < end; ++node) {
    const auto v = static_cast<size_t>(node - begin);
    const uint32_t p = partition_of[static_cast<size_t>(node)];
    record = prefix;
    Put(record, node);
    Put(out.pieces[arrays.orig_id.of(p)], node);
    const auto put_row = [&](const NodeRows& rows, const ArrayPlace& place) {
      if (!place) return;
      PutBytes(record, rows.row(v), rows.row_bytes);
      PutBytes(out.pieces[place.of(p)], rows.row(v), rows.row_bytes);
    };
    put_row(x, arrays.x);
    put_row(y, arrays.y);
    put_row(time, arrays.time);
    for (EdgeOutput& output : edge_outputs) {
      output.PutRow(v, p, out, record, sha);
    }
    sha.Update(record);
    out.digest.Add(sha.Finish());
  }
  return out;
}

uint64_t OutputBytesPerNode(const NodeSource& nodes) {
  uint64_t bytes = sizeof(int64_t);
  for (const ColumnPtr& column : {nodes.x, nodes.y, nodes.time}) {
    // As it is read, and in a piece.
    if (column != nullptr) bytes += 2 * column->schema().row_bytes();
  }
  return bytes;
}

uint64_t OutputBytesPerEdge(const EdgeTypeSchema& edges,
                            const EdgeRecordForm& form) {
  const uint64_t id = form.wide ? sizeof(uint64_t) : sizeof(uint32_t);
  const uint64_t time = sizeof(int64_t) + sizeof(uint64_t);
  return 2 * id + form.column_bytes + (edges.neighbor_ids ? id : 0) +
         (edges.weighted ? sizeof(uint64_t) : 0) + (edges.timed ? time : 0) +
         (edges.neighbor_timed ? time : 0);
}

}  // namespace tributary
