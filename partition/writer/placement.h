// The placement of one type's nodes: partitions, and the mapping between
// original and internal ids.
#ifndef TRIBUTARY_PARTITION_WRITER_PLACEMENT_H_
#define TRIBUTARY_PARTITION_WRITER_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Maps original to internal ids and back. Takes 18 bytes per node; for writing
// and checking graphs, not for serving. Immutable and thread-safe.
class Placement {
 public:
  // Makes the placement from the partition of each original id.
  // INVALID_ARGUMENT if one is not below num_partitions (1 to 65536).
  static absl::StatusOr<Placement> Make(std::vector<uint16_t> partition_of,
                                        uint32_t num_partitions);

  absl::Span<const uint16_t> partition_of() const { return partition_of_; }
  // P + 1 entries: partition p has the internal ids [base[p], base[p + 1]).
  const std::vector<int64_t>& base() const { return base_; }
  int64_t internal(int64_t original) const { return internal_[original]; }
  // Returns the original ids of a partition's rows, ascending.
  absl::Span<const int64_t> original_ids(uint32_t partition) const {
    return absl::MakeConstSpan(original_).subspan(
        base_[partition], base_[partition + 1] - base_[partition]);
  }

 private:
  std::vector<uint16_t> partition_of_;
  std::vector<int64_t> base_;
  std::vector<int64_t> internal_;  // by original id
  std::vector<int64_t> original_;  // by internal id
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_PLACEMENT_H_
