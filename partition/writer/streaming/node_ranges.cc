#include "partition/writer/streaming/node_ranges.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr int64_t kMaxFineRanges = int64_t{1} << 16;
constexpr int64_t kMaxRangeNodes = int64_t{1} << 31;

int ShiftFor(int64_t num_nodes) {
  int shift = 0;
  while ((num_nodes >> shift) >= kMaxFineRanges) ++shift;
  return shift;
}

}  // namespace

DestinationCounts::DestinationCounts(int64_t num_nodes)
    : num_nodes_(num_nodes), shift_(ShiftFor(num_nodes)) {
  counts_.resize(
      num_nodes == 0 ? 0 : static_cast<size_t>((num_nodes - 1) >> shift_) + 1);
}

void DestinationCounts::Add(const DestinationCounts& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

NodeRanges CutNodes(int64_t num_nodes, uint64_t bytes_per_node,
                    const std::vector<WeighedCounts>& edges,
                    uint64_t target_bytes) {
  const DestinationCounts shape(num_nodes);
  NodeRanges ranges;
  ranges.shift = shape.shift();
  ranges.begins.push_back(0);
  uint64_t bytes = 0;
  const int64_t fine_nodes = int64_t{1} << shape.shift();
  for (size_t f = 0; f < shape.counts().size(); ++f) {
    const int64_t begin = static_cast<int64_t>(f) * fine_nodes;
    const int64_t end = std::min(num_nodes, begin + fine_nodes);
    uint64_t more = static_cast<uint64_t>(end - begin) * bytes_per_node;
    for (const WeighedCounts& type : edges) {
      more += type.counts->counts()[f] * type.bytes_per_edge;
    }
    const bool is_first = ranges.begins.back() == begin;
    const bool is_full = bytes + more > target_bytes ||
                         end - ranges.begins.back() > kMaxRangeNodes;
    if (!is_first && is_full) {
      ranges.begins.push_back(begin);
      ranges.bytes.push_back(bytes);
      bytes = 0;
    }
    bytes += more;
    ranges.range_of_fine.push_back(
        static_cast<uint32_t>(ranges.begins.size() - 1));
  }
  if (num_nodes > 0) {
    ranges.begins.push_back(num_nodes);
    ranges.bytes.push_back(bytes);
  }
  return ranges;
}

}  // namespace tributary
