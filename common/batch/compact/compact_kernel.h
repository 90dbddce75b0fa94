// The scalar loops: each instruction set has a copy of them for its rests.
//
// In an unnamed namespace, and calling no inline function of others: such a
// function would be compiled for each instruction set, and the linker would
// keep one copy for all.
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_KERNEL_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_KERNEL_H_

#include <cstring>

#include "common/batch/compact/compact_path.h"

namespace tributary {

extern const CompactPath kCompactScalar;
// Requires AVX2 and POPCNT.
extern const CompactPath kCompactAvx2;

namespace {

inline void PutEnd(uint8_t* out, size_t edge, uint32_t number) {
  std::memcpy(out + edge * sizeof(number), &number, sizeof(number));
}

inline void ExpandNeighborsOneByOne(NeighborCursor& cursor, size_t from,
                                    size_t to, uint8_t* out) {
  for (size_t i = from; i < to; ++i) {
    const bool fresh = cursor.marks == nullptr
                           ? cursor.all_fresh
                           : ((cursor.marks[i / 8] >> (i % 8)) & 1) != 0;
    uint32_t number = 0;
    if (fresh) {
      number = cursor.next++;
    } else {
      std::memcpy(&number, cursor.numbers, cursor.number_bytes);
      cursor.numbers += cursor.number_bytes;
    }
    if (number > cursor.largest) cursor.largest = number;
    PutEnd(out, i, number);
  }
}

// `fill`(out, end, count, number) writes the number to `count` places, and
// perhaps to others before `end`.
template <typename Fill>
inline void ExpandDegreesBy(DegreeCursor& cursor, uint64_t from, uint64_t to,
                            Fill fill) {
  constexpr uint64_t kWord = 64;
  for (uint64_t at = from; at < to; at += kWord) {
    uint64_t word = 0;
    uint64_t left = to - at < kWord ? to - at : kWord;
    std::memcpy(&word, cursor.bits + at / 8, (left + 7) / 8);
    // Ones, then zeros, until no bit is left; a shift by 64 is not defined.
    while (left > 0) {
      const uint64_t ones_there =
          ~word == 0 ? kWord : static_cast<uint64_t>(__builtin_ctzll(~word));
      const uint64_t ones = ones_there < left ? ones_there : left;
      fill(cursor.out, cursor.end, ones, cursor.node);
      cursor.out += ones * sizeof(uint32_t);
      left -= ones;
      if (left == 0) break;
      word >>= ones;
      const uint64_t zeros_there =
          word == 0 ? kWord : static_cast<uint64_t>(__builtin_ctzll(word));
      const uint64_t zeros = zeros_there < left ? zeros_there : left;
      cursor.node += static_cast<uint32_t>(zeros);
      left -= zeros;
      if (left > 0) word >>= zeros;
    }
  }
}

inline void ExpandIdsOneByOne(const uint8_t* numbers, size_t number_bytes,
                              size_t from, size_t count, uint8_t* out) {
  for (size_t i = from; i < count; ++i) {
    uint64_t id = 0;
    std::memcpy(&id, numbers + i * number_bytes, number_bytes);
    std::memcpy(out + i * sizeof(id), &id, sizeof(id));
  }
}

inline void MeasureOneByOne(MeasureCursor& cursor, const uint32_t* neighbors,
                            size_t count) {
  MeasureCursor now = cursor;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t neighbor = neighbors[i];
    const bool fresh = neighbor == now.next;
    const uint32_t known = fresh ? 0 : neighbor;
    now.next += fresh ? 1 : 0;
    now.largest = neighbor > now.largest ? neighbor : now.largest;
    now.largest_known = known > now.largest_known ? known : now.largest_known;
  }
  cursor = now;
}

inline void EncodeOneByOne(EncodeCursor& cursor, const uint32_t* neighbors,
                           size_t count) {
  uint8_t marks = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool fresh = cursor.marks != nullptr && neighbors[i] == cursor.next;
    if (fresh) {
      marks = static_cast<uint8_t>(marks | 1u << (i % 8));
      ++cursor.next;
    } else {
      std::memcpy(cursor.numbers, &neighbors[i], cursor.number_bytes);
      cursor.numbers += cursor.number_bytes;
    }
    if (cursor.marks != nullptr && (i % 8 == 7 || i + 1 == count)) {
      *cursor.marks++ = marks;
      marks = 0;
    }
  }
}

}  // namespace
}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_KERNEL_H_
