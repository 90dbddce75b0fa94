#include "partition/writer/streaming/node_tables.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

bool IsNarrow(size_t num_nodes) {
  return num_nodes <= std::numeric_limits<uint32_t>::max();
}

}  // namespace

uint64_t NodeTable::BytesFor(int64_t num_nodes, bool timed) {
  const auto nodes = static_cast<uint64_t>(num_nodes);
  return nodes * (sizeof(uint16_t) +
                  (IsNarrow(nodes) ? sizeof(uint32_t) : sizeof(int64_t)) +
                  (timed ? sizeof(int64_t) : 0));
}

absl::StatusOr<NodeTable> NodeTable::Make(std::vector<uint16_t> partition_of,
                                          uint32_t num_partitions) {
  if (num_partitions < 1 || num_partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(absl::StrCat(
        num_partitions, " partitions; allowed: 1 to ", kMaxPartitions));
  }
  NodeTable table;
  table.base_.resize(num_partitions + 1);
  for (size_t i = 0; i < partition_of.size(); ++i) {
    if (partition_of[i] >= num_partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("node ", i, " is placed in partition ", partition_of[i],
                       "; there are ", num_partitions));
    }
    ++table.base_[partition_of[i] + 1];
  }
  for (uint32_t p = 0; p < num_partitions; ++p) {
    table.base_[p + 1] += table.base_[p];
  }
  std::vector<int64_t> next(table.base_.begin(), table.base_.end() - 1);
  const auto fill = [&](auto& internal) {
    internal.resize(partition_of.size());
    for (size_t i = 0; i < partition_of.size(); ++i) {
      internal[i] =
          static_cast<typename std::decay_t<decltype(internal)>::value_type>(
              next[partition_of[i]]++);
    }
  };
  if (IsNarrow(partition_of.size())) {
    fill(table.narrow_);
  } else {
    fill(table.wide_);
  }
  table.partition_of_ = std::move(partition_of);
  return table;
}

absl::Status NodeTable::LoadTimes(const Column& times) {
  times_.resize(static_cast<size_t>(times.num_rows()));
  return times.Read(0, times.num_rows(),
                    reinterpret_cast<uint8_t*>(times_.data()));
}

}  // namespace tributary
