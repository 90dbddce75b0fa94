// Looks up which of many ids are nodes of a batch.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"

namespace tributary {

// The set of a batch's nodes of one type, with their numbers. A bit per hash,
// eight or more per node, rejects most absent ids by one line of a table that
// fits a near cache; a hash table with linear probing, at most two thirds full,
// answers the rest. Immutable; thread-safe.
class NodeSet {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // Gives ids[i] the number i; of equal ids the first counts. Requires fewer
  // than 2^31 ids, which outlive the set. When `stop` says so, later ids are
  // left out.
  explicit NodeSet(absl::Span<const uint64_t> ids, StopCheck* stop = nullptr);

  // Returns the bytes of a set of `size` ids, beside the ids.
  static size_t BytesFor(size_t size);

  // Returns false if `id` is not in the set; true means that it may be.
  bool MayHold(uint64_t id) const {
    const uint64_t bit = HashOf(id) >> bit_shift_;
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  // Returns the number of `id`, or kNone.
  uint32_t Find(uint64_t id) const {
    for (size_t at = HomeOf(id);; at = (at + 1) & mask_) {
      const uint32_t slot = slots_[at];
      if (slot == 0) return kNone;
      if (ids_[slot - 1] == id) return slot - 1;
    }
  }

 private:
  static uint64_t HashOf(uint64_t id) { return id * 0x9E3779B97F4A7C15u; }
  // Uses other bits of the hash than MayHold, where there are enough.
  size_t HomeOf(uint64_t id) const { return (HashOf(id) >> 20) & mask_; }

  absl::Span<const uint64_t> ids_;
  int bit_shift_ = 0;
  size_t mask_ = 0;              // number of slots - 1
  std::vector<uint64_t> bits_;   // one per hash; set if a node has it
  std::vector<uint32_t> slots_;  // number + 1; 0: free
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_
