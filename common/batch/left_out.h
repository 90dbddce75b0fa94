// Bytes of a batch that its receiver already has.
#ifndef TRIBUTARY_COMMON_BATCH_LEFT_OUT_H_
#define TRIBUTARY_COMMON_BATCH_LEFT_OUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary {

// The most gaps of a batch. Rows of further node types are not left out.
inline constexpr size_t kMaxGaps = 4096;

// A range of the whole batch that is left out.
struct BatchGap {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool operator==(const BatchGap&) const = default;
};

// Appends a gap that follows the others; one that begins where the last one
// ends makes that longer.
inline void AppendGap(const BatchGap& gap, std::vector<BatchGap>* gaps) {
  if (!gaps->empty() &&
      gaps->back().offset + gaps->back().bytes == gap.offset) {
    gaps->back().bytes += gap.bytes;
  } else if (gap.bytes != 0) {
    gaps->push_back(gap);
  }
}

// The parts that are left out of a batch: rows that the trainer holds, and
// bytes that compact edges do without (common/proto/wire.proto, Frame).
struct LeftOut {
  std::vector<BatchGap> gaps;  // ascending, apart, none empty
  // The sum of the hot list's CRC32Cs of these rows, modulo 2^64.
  uint64_t crcs = 0;
  uint64_t compact_bytes = 0;  // of bytes(), those of compact edges

  bool empty() const { return gaps.empty(); }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const BatchGap& gap : gaps) sum += gap.bytes;
    return sum;
  }
};

// Returns how much is left out of a tensor whose first `bytes` the receiver
// has: whole cache lines, so that what follows stays aligned.
constexpr size_t LeftOutOf(size_t bytes) { return bytes & ~size_t{63}; }

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_LEFT_OUT_H_
