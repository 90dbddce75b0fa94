#include "partition/format/node_map.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

template <typename T>
NodeLocation LocateIn(const T* partition_of, absl::Span<const uint64_t> ranks,
                      uint32_t num_partitions, uint64_t id) {
  const uint64_t block_size = NodeMap::BlockSize(num_partitions);
  const uint64_t block = id / block_size;
  const T partition = partition_of[id];
  uint32_t before = 0;  // of at most a block: narrow, for wide vectors
  for (uint64_t i = block * block_size; i < id; ++i) {
    before += partition_of[i] == partition ? 1u : 0u;
  }
  return {partition, ranks[block * num_partitions + partition] + before};
}

}  // namespace

NodeMap::NodeMap(absl::Span<const uint8_t> partition_of,
                 absl::Span<const uint64_t> ranks, uint32_t num_partitions)
    : narrow_(partition_of.data()),
      num_nodes_(partition_of.size()),
      ranks_(ranks),
      num_partitions_(num_partitions) {}

NodeMap::NodeMap(absl::Span<const uint16_t> partition_of,
                 absl::Span<const uint64_t> ranks, uint32_t num_partitions)
    : wide_(partition_of.data()),
      num_nodes_(partition_of.size()),
      ranks_(ranks),
      num_partitions_(num_partitions) {}

uint64_t NodeMap::BlockSize(uint32_t num_partitions) {
  return std::max<uint64_t>(512, uint64_t{8} * num_partitions);
}

std::vector<uint64_t> NodeMap::MakeRanks(
    absl::Span<const uint16_t> partition_of, uint32_t num_partitions) {
  const uint64_t block_size = BlockSize(num_partitions);
  std::vector<uint64_t> ranks;
  std::vector<uint64_t> counts(num_partitions, 0);
  for (uint64_t i = 0; i < partition_of.size(); ++i) {
    if (i % block_size == 0) {
      ranks.insert(ranks.end(), counts.begin(), counts.end());
    }
    ++counts[partition_of[i]];
  }
  return ranks;
}

absl::StatusOr<NodeLocation> NodeMap::Locate(int64_t original_id) const {
  const auto id = static_cast<uint64_t>(original_id);
  if (id >= num_nodes_) {
    return absl::OutOfRangeError(absl::StrCat("there is no node ", original_id,
                                              "; ids are 0 to ", num_nodes_,
                                              " - 1"));
  }
  const uint32_t partition = wide_ != nullptr ? wide_[id] : narrow_[id];
  if (partition >= num_partitions_) {
    return absl::DataLossError(absl::StrCat(
        "node_map: node ", original_id, " is in partition ", partition, " of ",
        num_partitions_, "; the file is damaged"));
  }
  return wide_ != nullptr ? LocateIn(wide_, ranks_, num_partitions_, id)
                          : LocateIn(narrow_, ranks_, num_partitions_, id);
}

}  // namespace tributary
