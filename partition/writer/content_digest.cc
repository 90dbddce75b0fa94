#include "partition/writer/content_digest.h"

#include <algorithm>

#include "common/random/hop_key.h"
#include "common/runtime/mutex.h"
#include "common/runtime/parallel_for.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

constexpr size_t kNodeGrain = 2048;
// Edges hashed at a time, so that a hub's record is never in memory as a whole.
constexpr uint64_t kEdgePiece = 4096;

// A little-endian number modulo 2^256.
class DigestSum {
 public:
  void Add(const Sha256Digest& digest) {
    unsigned carry = 0;
    for (size_t i = 0; i < sum_.size(); ++i) {
      carry += unsigned{sum_[i]} + digest[i];
      sum_[i] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
  }
  const Sha256Digest& value() const { return sum_; }

 private:
  Sha256Digest sum_{};
};

void PutU64(std::vector<uint8_t>& out, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<uint8_t>(value >> 8 * i));
}

void PutName(Sha256& sha, const std::string& name) {
  sha.UpdateU32(static_cast<uint32_t>(name.size()));
  sha.Update(name);
}

void PutColumn(Sha256& sha, const std::shared_ptr<const RowSource>& rows) {
  sha.UpdateU8(rows == nullptr ? 0
                               : static_cast<uint8_t>(rows->schema().dtype));
  sha.UpdateU64(rows == nullptr ? 0
                                : static_cast<uint64_t>(rows->schema().dim));
}

void PutNodeType(Sha256& sha, const NodeContent& type) {
  PutName(sha, type.name);
  sha.UpdateU64(static_cast<uint64_t>(type.num_nodes));
  PutColumn(sha, type.x);
  PutColumn(sha, type.y);
}

void PutEdgeType(Sha256& sha, const EdgeContent& type) {
  PutName(sha, type.src);
  PutName(sha, type.rel);
  PutName(sha, type.dst);
  sha.UpdateU64(static_cast<uint64_t>(type.in_edges.num_edges()));
  PutColumn(sha, type.edge_attr);
}

// Hashes the columns that were added to the format later; a graph without them
// keeps its digest.
void PutNamedColumn(Sha256& sha, const std::string& type,
                    const std::string& column,
                    const std::shared_ptr<const RowSource>& rows) {
  if (rows == nullptr) return;
  PutName(sha, type);
  PutName(sha, column);
  PutColumn(sha, rows);
}

void PutNamedColumns(Sha256& sha, const GraphContent& content) {
  for (const NodeContent& type : content.node_types) {
    PutNamedColumn(sha, type.name, "time", type.time);
  }
  for (const EdgeContent& type : content.edge_types) {
    PutNamedColumn(sha, type.name(), "weight", type.weight);
    PutNamedColumn(sha, type.name(), "time", type.time);
    for (const auto& [name, rows] : type.masks) {
      PutNamedColumn(sha, type.name(), MaskArray(name), rows);
    }
  }
}

void PutSplit(Sha256& sha, const SplitContent& split) {
  PutName(sha, split.scheme);
  PutName(sha, split.type);
  PutName(sha, split.name);
  sha.UpdateU64(split.ids.size());
  for (int64_t id : split.ids) sha.UpdateU64(static_cast<uint64_t>(id));
}

Sha256Digest SchemaRecord(const GraphContent& content) {
  Sha256 sha;
  sha.Update("tributary.schema");
  sha.UpdateU32(kSemanticsVersion);
  sha.UpdateU8(content.heterogeneous ? 1 : 0);
  sha.UpdateU32(static_cast<uint32_t>(content.node_types.size()));
  for (const NodeContent& type : content.node_types) PutNodeType(sha, type);
  sha.UpdateU32(static_cast<uint32_t>(content.edge_types.size()));
  for (const EdgeContent& type : content.edge_types) PutEdgeType(sha, type);
  sha.UpdateU32(static_cast<uint32_t>(content.splits.size()));
  for (const SplitContent& split : content.splits) PutSplit(sha, split);
  PutNamedColumns(sha, content);
  return sha.Finish();
}

// Hashes the records of one node type; reuses its buffer for all nodes.
class NodeRecorder {
 public:
  NodeRecorder(const GraphContent& content, int node_type)
      : content_(content), node_type_(node_type) {}

  Sha256Digest Record(int64_t node) {
    const NodeContent& type = content_.node_types[node_type_];
    sha_.Update("tributary.node");
    PutName(sha_, type.name);
    sha_.UpdateU64(static_cast<uint64_t>(node));
    PutRow(type.x, node);
    PutRow(type.y, node);
    PutRow(type.time, node);
    for (const EdgeContent& edges : content_.edge_types) {
      if (edges.dst_type == node_type_) PutInEdges(edges, node);
    }
    return sha_.Finish();
  }

 private:
  void PutRow(const std::shared_ptr<const RowSource>& rows, int64_t node) {
    if (rows == nullptr) return;
    buffer_.resize(rows->schema().row_bytes());
    rows->CopyRows({&node, 1}, buffer_.data());
    sha_.Update(buffer_);
  }

  void PutInEdges(const EdgeContent& edges, int64_t node) {
    const auto indptr = edges.in_edges.indptr();
    const uint64_t end = indptr[node + 1];
    PutName(sha_, edges.name());
    sha_.UpdateU64(end - indptr[node]);
    for (uint64_t i = indptr[node]; i < end; i += kEdgePiece) {
      PutEdgePiece(edges, i, std::min(end, i + kEdgePiece));
    }
  }

  void PutEdgePiece(const EdgeContent& edges, uint64_t begin, uint64_t end) {
    buffer_.clear();
    for (uint64_t i = begin; i < end; ++i) {
      const InEdge edge = edges.in_edges.edge(i);
      PutU64(buffer_, static_cast<uint64_t>(edge.neighbor));
      PutU64(buffer_, static_cast<uint64_t>(edge.edge_id));
      const int64_t row = edges.AttrRow(i);
      AppendRow(edges.edge_attr, row);
      AppendRow(edges.weight, row);
      AppendRow(edges.time, row);
      for (const auto& [name, rows] : edges.masks) AppendRow(rows, row);
    }
    sha_.Update(buffer_);
  }

  void AppendRow(const std::shared_ptr<const RowSource>& rows, int64_t row) {
    if (rows == nullptr) return;
    const size_t at = buffer_.size();
    buffer_.resize(at + rows->schema().row_bytes());
    rows->CopyRows({&row, 1}, buffer_.data() + at);
  }

  const GraphContent& content_;
  const int node_type_;
  Sha256 sha_;
  std::vector<uint8_t> buffer_;
};

}  // namespace

Sha256Digest ComputeContentDigest(const GraphContent& content) {
  Mutex mutex;
  DigestSum total;
  total.Add(SchemaRecord(content));
  for (size_t t = 0; t < content.node_types.size(); ++t) {
    const auto add_nodes = [&](size_t begin, size_t end) {
      NodeRecorder recorder(content, static_cast<int>(t));
      DigestSum sum;
      for (size_t node = begin; node < end; ++node) {
        sum.Add(recorder.Record(static_cast<int64_t>(node)));
      }
      MutexLock lock(mutex);
      total.Add(sum.value());
      return absl::OkStatus();
    };
    (void)ParallelFor(static_cast<size_t>(content.node_types[t].num_nodes),
                      kNodeGrain, add_nodes);  // the body never fails
  }
  return total.value();
}

}  // namespace tributary
