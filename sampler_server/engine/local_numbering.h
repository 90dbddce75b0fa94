// Gives the nodes of one type in one batch their local numbers.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_LOCAL_NUMBERING_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_LOCAL_NUMBERING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/buffer.h"

namespace tributary {

// Numbers ids 0, 1, 2, ... by first occurrence. A table with open addressing
// and linear probing, at most half full, whose slots are prefetched while
// earlier ids are looked up. 8 bytes a slot while ids fit in 32 bits, else 16.
// Not thread-safe.
class LocalNumbering {
 public:
  // Ids are below `num_nodes`.
  explicit LocalNumbering(uint64_t num_nodes);

  // local[i] becomes the number of ids[i], a new one when it is new. At most
  // 2^31 numbers: the caller checks size() + ids.size() before.
  void Number(absl::Span<const uint64_t> ids, uint32_t* local);

  // The ids by number.
  const std::vector<uint64_t>& ids() const { return ids_; }
  size_t size() const { return ids_.size(); }
  // Memory held by table and ids.
  size_t bytes() const;
  // Forgets all. The next batch clears only as much of the table as it needs.
  void Reset();
  // Lets go of the table; ids() stay. No Number() afterwards.
  void DropTable();

 private:
  struct NarrowSlot {
    uint32_t id;
    uint32_t local;
  };
  struct WideSlot {
    uint64_t id;
    uint64_t local;
  };

  template <typename Slot>
  void NumberIn(absl::Span<const uint64_t> ids, uint32_t* local);
  template <typename Slot>
  size_t NumberBlock(absl::Span<const uint64_t> ids, size_t start, size_t stop,
                     uint32_t* local);
  template <typename Slot>
  void Grow(size_t slots);
  size_t SlotOf(uint64_t id) const {
    return static_cast<size_t>((id * 0x9E3779B97F4A7C15u) >> shift_);
  }

  const uint64_t num_nodes_;
  AlignedBuffer table_;  // of NarrowSlot or WideSlot
  size_t slots_ = 0;     // in use: a power of two, at most what the table holds
  int shift_ = 64;
  std::vector<uint64_t> ids_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_LOCAL_NUMBERING_H_
