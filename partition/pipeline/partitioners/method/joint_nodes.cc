#include "partition/pipeline/partitioners/method/joint_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

JointNodes::JointNodes(const GraphSource& graph) : first({0}) {
  for (const NodeSource& type : graph.node_types) {
    first.push_back(first.back() + static_cast<uint64_t>(type.num_nodes));
  }
}

std::vector<std::vector<uint16_t>> SplitByType(const JointNodes& nodes,
                                               std::vector<uint16_t> joint) {
  std::vector<std::vector<uint16_t>> result;
  const size_t num_types = nodes.first.size() - 1;
  if (num_types == 1) {
    result.push_back(std::move(joint));
    return result;
  }
  for (size_t t = 0; t < num_types; ++t) {
    result.emplace_back(
        joint.begin() + static_cast<std::ptrdiff_t>(nodes.first[t]),
        joint.begin() + static_cast<std::ptrdiff_t>(nodes.first[t + 1]));
  }
  return result;
}

absl::Status JointEnds::ReadEnd(const Column& column, int type, int64_t begin,
                                int64_t count,
                                std::vector<uint64_t>& out) const {
  const auto t = static_cast<size_t>(type);
  const uint64_t num_nodes = nodes_.first[t + 1] - nodes_.first[t];
  out.resize(static_cast<size_t>(count));
  RETURN_IF_ERROR(
      column.Read(begin, count, reinterpret_cast<uint8_t*>(out.data())));
  // A negative id is a large unsigned one.
  uint64_t largest = 0;
  for (const uint64_t id : out) largest = std::max(largest, id);
  if (largest >= num_nodes && count > 0) {
    const auto bad = std::find_if(out.begin(), out.end(),
                                  [&](uint64_t id) { return id >= num_nodes; });
    const std::string allowed =
        num_nodes == 0 ? "it has no nodes"
                       : absl::StrCat("allowed: 0 to ", num_nodes - 1);
    return absl::OutOfRangeError(
        absl::StrCat(column.Where(begin + (bad - out.begin())), ": node ",
                     static_cast<int64_t>(*bad), " of the type ",
                     graph_.node_types[t].name, "; ", allowed));
  }
  for (uint64_t& id : out) id += nodes_.first[t];
  return absl::OkStatus();
}

absl::Status JointEnds::Read(const EdgeSource& edges, int64_t begin,
                             int64_t count) {
  RETURN_IF_ERROR(ReadEnd(*edges.from, edges.src_type, begin, count, from_));
  return ReadEnd(*edges.to, edges.dst_type, begin, count, to_);
}

absl::Status JointEnds::ReadTo(const EdgeSource& edges, int64_t begin,
                               int64_t count) {
  return ReadEnd(*edges.to, edges.dst_type, begin, count, to_);
}

uint64_t NumRowsRead(const GraphSource& graph) {
  uint64_t rows = 0;
  for (const EdgeSource& edges : graph.edge_types) {
    if (IsRead(edges)) rows += static_cast<uint64_t>(edges.num_rows());
  }
  return rows;
}

absl::Status ForEachEdge(const GraphSource& graph, const JointNodes& nodes,
                         absl::FunctionRef<void(uint64_t, uint64_t)> f) {
  JointEnds ends(graph, nodes);
  for (const EdgeSource& edges : graph.edge_types) {
    if (!IsRead(edges)) continue;
    for (int64_t begin = 0; begin < edges.num_rows(); begin += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, edges.num_rows() - begin);
      RETURN_IF_ERROR(ends.Read(edges, begin, count));
      for (size_t i = 0; i < ends.from().size(); ++i) {
        const uint64_t u = ends.from()[i], v = ends.to()[i];
        if (u != v) f(u, v);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace tributary
