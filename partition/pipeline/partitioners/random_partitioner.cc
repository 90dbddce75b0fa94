#include "partition/pipeline/partitioners/random_partitioner.h"

#include "absl/strings/str_cat.h"
#include "common/random/permutation.h"
#include "common/random/purpose_key.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 65536;

absl::StatusOr<std::vector<uint16_t>> PlaceRandomly(
    const NodeSource& type, const PartitionOptions& options) {
  const auto n = static_cast<uint64_t>(type.num_nodes);
  const PhiloxKey key = MakePurposeKey(absl::StrCat("partition,", type.name),
                                       options.random_seed);
  const Permutation position = Permutation::Keyed(n, key);
  std::vector<uint16_t> result(n);
  const auto place = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      result[i] =
          static_cast<uint16_t>(static_cast<unsigned __int128>(position[i]) *
                                options.num_partitions / n);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ParallelFor(n, kGrain, place));
  return result;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint16_t>>> RandomPartitioner::Partition(
    const GraphSource& graph, const PartitionOptions& options,
    const PartitionContext&) const {
  std::vector<std::vector<uint16_t>> result;
  for (const NodeSource& type : graph.node_types) {
    ASSIGN_OR_RETURN(auto placed, PlaceRandomly(type, options));
    result.push_back(std::move(placed));
  }
  return result;
}

}  // namespace tributary
