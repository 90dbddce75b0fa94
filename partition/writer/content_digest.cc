#include "partition/writer/content_digest.h"

#include <algorithm>

#include "common/runtime/mutex.h"
#include "common/runtime/parallel_for.h"
#include "partition/writer/content_schema.h"

namespace tributary {
namespace {

constexpr size_t kNodeGrain = 2048;
// Edges hashed at a time, so that a hub's record is never in memory as a whole.
constexpr uint64_t kEdgePiece = 4096;

void PutU64(std::vector<uint8_t>& out, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<uint8_t>(value >> 8 * i));
}

void PutName(Sha256& sha, const std::string& name) {
  sha.UpdateU32(static_cast<uint32_t>(name.size()));
  sha.Update(name);
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
  total.Add(SchemaRecord(SchemaOf(content), content.splits));
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
