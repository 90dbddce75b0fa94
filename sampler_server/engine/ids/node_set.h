// The nodes of one type in a batch, for whoever asks of many ids whether they
// are among them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// A bit for each hash, eight or more of them for each node, tells most ids that
// are not there from one line of a table that fits a near cache; open
// addressing with linear probing, at most two thirds full, tells the rest.
// Thread-safe once made.
class NodeSet {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // ids[i] has number i; of equal ids the first counts. Fewer than 2^31 ids,
  // which outlive the set.
  explicit NodeSet(absl::Span<const uint64_t> ids);

  // Of a set of `size` ids, beside the ids.
  static size_t BytesFor(size_t size);

  // False: `id` is not there. True: look it up.
  bool MayHold(uint64_t id) const {
    const uint64_t bit = HashOf(id) >> bit_shift_;
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  // The number of `id`, or kNone.
  uint32_t Find(uint64_t id) const {
    for (size_t at = HomeOf(id);; at = (at + 1) & mask_) {
      const uint32_t slot = slots_[at];
      if (slot == 0) return kNone;
      if (ids_[slot - 1] == id) return slot - 1;
    }
  }

 private:
  static uint64_t HashOf(uint64_t id) { return id * 0x9E3779B97F4A7C15u; }
  // Of other bits than MayHold, where there are any.
  size_t HomeOf(uint64_t id) const { return (HashOf(id) >> 20) & mask_; }

  absl::Span<const uint64_t> ids_;
  int bit_shift_ = 0;
  size_t mask_ = 0;              // slots, less one
  std::vector<uint64_t> bits_;   // of hashes that are there
  std::vector<uint32_t> slots_;  // number + 1; 0: free
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NODE_SET_H_
