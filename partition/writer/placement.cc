#include "partition/writer/placement.h"

#include "absl/strings/str_cat.h"
#include "partition/schema/schema_check.h"

namespace tributary {

absl::StatusOr<Placement> Placement::Make(std::vector<uint16_t> partition_of,
                                          uint32_t num_partitions) {
  if (num_partitions < 1 || num_partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(
        absl::StrCat("the number of partitions is ", num_partitions,
                     "; allowed: 1 to ", kMaxPartitions));
  }
  Placement result;
  result.base_.assign(size_t{num_partitions} + 1, 0);
  for (size_t i = 0; i < partition_of.size(); ++i) {
    if (partition_of[i] >= num_partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("node ", i, " is put in partition ", partition_of[i],
                       " of ", num_partitions));
    }
    ++result.base_[partition_of[i] + 1];
  }
  for (uint32_t p = 0; p < num_partitions; ++p) {
    result.base_[p + 1] += result.base_[p];
  }
  std::vector<int64_t> next(result.base_.begin(), result.base_.end() - 1);
  result.internal_.resize(partition_of.size());
  result.original_.resize(partition_of.size());
  for (size_t i = 0; i < partition_of.size(); ++i) {
    const int64_t internal = next[partition_of[i]]++;
    result.internal_[i] = internal;
    result.original_[internal] = static_cast<int64_t>(i);
  }
  result.partition_of_ = std::move(partition_of);
  return result;
}

}  // namespace tributary
