#include "sampler_server/engine/ids/frontier.h"

#include <algorithm>
#include <numeric>

#include <utility>
#include "sampler_server/engine/ids/tree_ids.h"

namespace tributary {
namespace {

// The partition of each id, by counting the bases that are not above it: few
// partitions are told apart faster so than by a search that branches.
std::vector<uint32_t> PartitionsOf(const NodeTypeSchema& type,
                                   absl::Span<const uint64_t> ids) {
  constexpr size_t kFew = 16;
  const size_t num_partitions = type.base.size() - 1;
  std::vector<uint32_t> partition(ids.size());
  if (num_partitions > kFew) {
    for (size_t i = 0; i < ids.size(); ++i) {
      partition[i] = type.PartitionOf(static_cast<int64_t>(ids[i]));
    }
    return partition;
  }
  for (size_t p = 1; p < num_partitions; ++p) {
    const auto base = static_cast<uint64_t>(type.base[p]);
    for (size_t i = 0; i < ids.size(); ++i) partition[i] += ids[i] >= base;
  }
  return partition;
}

NodesByPartition OneGroup(absl::Span<const uint64_t> ids) {
  NodesByPartition result;
  if (ids.empty()) return result;
  PartitionNodes group;
  group.index.resize(ids.size());
  std::iota(group.index.begin(), group.index.end(), 0u);
  group.rows.assign(ids.begin(), ids.end());
  result.groups.push_back(std::move(group));
  return result;
}

}  // namespace

NodesByPartition GroupByPartition(const NodeTypeSchema& type,
                                  absl::Span<const uint64_t> ids) {
  if (type.base.size() <= 2) return OneGroup(ids);
  NodesByPartition result;
  result.group_of = PartitionsOf(type, ids);
  std::vector<size_t> sizes(type.base.size() - 1, 0);
  for (uint32_t p : result.group_of) ++sizes[p];
  std::vector<uint32_t> group_of_partition(sizes.size(), 0);
  for (size_t p = 0; p < sizes.size(); ++p) {
    if (sizes[p] == 0) continue;
    group_of_partition[p] = static_cast<uint32_t>(result.groups.size());
    PartitionNodes& group = result.groups.emplace_back();
    group.partition = static_cast<uint32_t>(p);
    group.index.reserve(sizes[p]);
    group.rows.reserve(sizes[p]);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint32_t p = result.group_of[i];
    result.group_of[i] = group_of_partition[p];
    PartitionNodes& group = result.groups[result.group_of[i]];
    group.index.push_back(static_cast<uint32_t>(i));
    group.rows.push_back(ids[i] - static_cast<uint64_t>(type.base[p]));
  }
  if (result.groups.size() <= 1) result.group_of.clear();
  return result;
}

NodesByPartition GroupTreesByPartition(const NodeTypeSchema& type,
                                       absl::Span<const uint64_t> ids) {
  const TreeIds trees(static_cast<uint64_t>(type.num_nodes));
  std::vector<uint64_t> nodes;
  nodes.reserve(ids.size());
  for (uint64_t id : ids) nodes.push_back(trees.Node(id));
  return GroupByPartition(type, nodes);
}

}  // namespace tributary
