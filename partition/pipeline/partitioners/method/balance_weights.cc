#include "partition/pipeline/partitioners/method/balance_weights.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Weight = BalanceConstraint::Weight;

void AddOne(absl::Span<const uint64_t> ends, std::vector<uint32_t>& degree) {
  for (const uint64_t v : ends) {
    if (degree[v] != std::numeric_limits<uint32_t>::max()) ++degree[v];
  }
}

}  // namespace

absl::Status BalanceWeights::CountInDegrees(const GraphSource& graph,
                                            const JointNodes& nodes) {
  in_degree_.assign(nodes.size(), 0);
  JointEnds ends(graph, nodes);
  for (const EdgeSource& edges : graph.edge_types) {
    for (int64_t begin = 0; begin < edges.num_rows(); begin += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, edges.num_rows() - begin);
      if (edges.add_reverse) {
        RETURN_IF_ERROR(ends.Read(edges, begin, count));
        AddOne(ends.from(), in_degree_);
      } else {
        RETURN_IF_ERROR(ends.ReadTo(edges, begin, count));
      }
      AddOne(ends.to(), in_degree_);
    }
  }
  uint64_t total = 0;
  for (const uint32_t degree : in_degree_) total += degree;
  if (total == 0) {
    return absl::InvalidArgumentError(
        "--balance edges: the graph has no edges");
  }
  constraints_.push_back({"edges", Weight::kInDegree, -1, total});
  return absl::OkStatus();
}

absl::Status BalanceWeights::MarkTrain(const GraphSource& graph,
                                       const JointNodes& nodes) {
  is_train_.assign(nodes.size(), false);
  for (const SplitSource& split : graph.splits) {
    if (split.name != "train") continue;
    for (size_t t = 0; t < graph.node_types.size(); ++t) {
      const NodeSource& type = graph.node_types[t];
      if (type.name != split.type) continue;
      for (const int64_t id : split.nodes) {
        if (id < 0 || id >= type.num_nodes) {
          return absl::OutOfRangeError(absl::StrCat(
              "split ", split.scheme, split.scheme.empty() ? "" : "/",
              split.name, " of ", type.name, " has the node ", id,
              "; allowed: 0 to ", type.num_nodes - 1));
        }
        is_train_[nodes.first[t] + static_cast<uint64_t>(id)] = true;
      }
    }
  }
  const auto total = static_cast<uint64_t>(
      std::count(is_train_.begin(), is_train_.end(), true));
  if (total == 0) {
    return absl::InvalidArgumentError(
        "--balance train: the graph has no training nodes\nallowed: graphs "
        "with a split of nodes that is named train");
  }
  constraints_.push_back({"train", Weight::kTrain, -1, total});
  return absl::OkStatus();
}

absl::StatusOr<BalanceWeights> BalanceWeights::Make(
    const GraphSource& graph, const JointNodes& nodes,
    const BalanceOptions& balance) {
  BalanceWeights weights;
  if (balance.nodes || balance.none()) {
    weights.constraints_.push_back({"nodes", Weight::kOne, -1, nodes.size()});
  }
  if (balance.edges) RETURN_IF_ERROR(weights.CountInDegrees(graph, nodes));
  if (balance.train) RETURN_IF_ERROR(weights.MarkTrain(graph, nodes));
  for (size_t t = 0; balance.types && t < graph.node_types.size(); ++t) {
    const NodeSource& type = graph.node_types[t];
    if (type.num_nodes == 0) continue;
    weights.constraints_.push_back({absl::StrCat("type ", type.name),
                                    Weight::kOne, static_cast<int>(t),
                                    static_cast<uint64_t>(type.num_nodes)});
  }
  return weights;
}

uint64_t BalanceWeights::Bytes(const JointNodes& nodes,
                               const BalanceOptions& balance) {
  uint64_t bytes = 0;
  if (balance.edges) bytes += nodes.size() * sizeof(uint32_t);
  if (balance.train) bytes += nodes.size() / 8 + 1;
  return bytes;
}

uint64_t BalanceCapacity(uint64_t total, uint32_t permille, uint32_t parts) {
  using Wide = unsigned __int128;
  const Wide divisor = Wide{1000} * parts;
  return static_cast<uint64_t>((Wide{total} * permille + divisor - 1) /
                               divisor);
}

}  // namespace tributary
