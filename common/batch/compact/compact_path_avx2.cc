#include <immintrin.h>

#include "common/batch/compact/compact_kernel.h"

namespace tributary {
namespace {

constexpr size_t kLanes = 8;

// For each byte of marks and each lane: the number of marks before the lane.
struct Ranks {
  alignas(64) uint8_t of[256][kLanes];
  constexpr Ranks() : of() {
    for (unsigned marks = 0; marks < 256; ++marks) {
      uint8_t before = 0;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        of[marks][lane] = before;
        before = static_cast<uint8_t>(before + ((marks >> lane) & 1));
      }
    }
  }
};
constexpr Ranks kRanks;

// Likewise: first the lanes without a mark.
struct KnownLanes {
  alignas(64) uint8_t of[256][kLanes];
  constexpr KnownLanes() : of() {
    for (unsigned marks = 0; marks < 256; ++marks) {
      size_t place = 0;
      for (uint8_t lane = 0; lane < kLanes; ++lane) {
        if (((marks >> lane) & 1) == 0) of[marks][place++] = lane;
      }
    }
  }
};
constexpr KnownLanes kKnownLanes;

__m256i Store(uint8_t* to, __m256i lanes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
  return lanes;
}

__m128i Load16(const uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// Returns the shuffle, of each 16 bytes, that widens numbers of `from` bytes to
// `to` bytes each.
__m256i WideningOf(size_t from, size_t to) {
  alignas(16) int8_t bytes[16];
  for (size_t i = 0; i < 16; ++i) {
    const size_t number = i / to, byte = i % to;
    bytes[i] = byte < from ? static_cast<int8_t>(number * from + byte)
                           : static_cast<int8_t>(-1);
  }
  return _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

__m256i Iota() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }

uint32_t LargestOf(__m256i lanes) {
  alignas(32) uint32_t values[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(values), lanes);
  uint32_t largest = 0;
  for (const uint32_t value : values) {
    if (value > largest) largest = value;
  }
  return largest;
}

size_t ExpandFresh(NeighborCursor& cursor, size_t from, size_t to,
                   uint8_t* out) {
  size_t i = from;
  for (; i + kLanes <= to; i += kLanes) {
    Store(out + i * sizeof(uint32_t),
          _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(cursor.next)),
                           Iota()));
    cursor.next += kLanes;
  }
  if (i > from && cursor.next - 1 > cursor.largest) {
    cursor.largest = cursor.next - 1;
  }
  return i;
}

// Eight neighbours at once: as many numbers as may be needed are widened, go to
// the lanes of neighbours that are not fresh, and the other lanes count on.
size_t ExpandMixed(NeighborCursor& cursor, size_t from, size_t to,
                   uint8_t* out) {
  const size_t number_bytes = cursor.number_bytes;
  const __m256i widening = WideningOf(number_bytes, sizeof(uint32_t));
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const uint8_t* numbers = cursor.numbers;
  uint32_t next = cursor.next;
  __m256i largest = _mm256_setzero_si256();
  const size_t half = 4 * number_bytes;
  size_t i = from;
  for (; i + kLanes <= to &&
         static_cast<size_t>(cursor.end - numbers) >= half + 16;
       i += kLanes) {
    const uint32_t marks =
        cursor.marks == nullptr ? 0u : uint32_t{cursor.marks[i / kLanes]};
    const __m256i wide = _mm256_shuffle_epi8(
        _mm256_set_m128i(Load16(numbers + half), Load16(numbers)), widening);
    const __m256i rank = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kRanks.of[marks])));
    const __m256i known =
        _mm256_permutevar8x32_epi32(wide, _mm256_sub_epi32(Iota(), rank));
    const __m256i fresh =
        _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(next)), rank);
    const __m256i is_fresh = _mm256_cmpeq_epi32(
        _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(marks)), bits),
        bits);
    largest = _mm256_max_epu32(
        largest, Store(out + i * sizeof(uint32_t),
                       _mm256_blendv_epi8(known, fresh, is_fresh)));
    const auto num_fresh = static_cast<uint32_t>(__builtin_popcount(marks));
    next += num_fresh;
    numbers += (kLanes - num_fresh) * number_bytes;
  }
  cursor.numbers = numbers;
  cursor.next = next;
  const uint32_t found = LargestOf(largest);
  if (found > cursor.largest) cursor.largest = found;
  return i;
}

void ExpandNeighbors(NeighborCursor& cursor, size_t from, size_t to,
                     uint8_t* out) {
  const size_t rest = cursor.marks == nullptr && cursor.all_fresh
                          ? ExpandFresh(cursor, from, to, out)
                          : ExpandMixed(cursor, from, to, out);
  ExpandNeighborsOneByOne(cursor, rest, to, out);
}

void ExpandDegrees(DegreeCursor& cursor, uint64_t from, uint64_t to) {
  ExpandDegreesBy(
      cursor, from, to,
      [](uint8_t* out, const uint8_t* end, uint64_t count, uint32_t node) {
        const __m256i lanes = _mm256_set1_epi32(static_cast<int>(node));
        uint64_t i = 0;
        for (; i < count && static_cast<size_t>(end - out) >=
                                i * sizeof(node) + sizeof(lanes);
             i += kLanes) {
          Store(out + i * sizeof(node), lanes);
        }
        for (; i < count; ++i) PutEnd(out, i, node);
      });
}

void ExpandIds(const uint8_t* numbers, const uint8_t* end, size_t number_bytes,
               size_t count, uint8_t* out) {
  constexpr size_t kIds = 4;
  const __m256i widening = WideningOf(number_bytes, sizeof(uint64_t));
  size_t i = 0;
  for (; i + kIds <= count; i += kIds) {
    const uint8_t* const first = numbers + i * number_bytes;
    const uint8_t* const third = first + 2 * number_bytes;
    if (end - third < 16) break;
    Store(out + i * sizeof(uint64_t),
          _mm256_shuffle_epi8(_mm256_set_m128i(Load16(third), Load16(first)),
                              widening));
  }
  ExpandIdsOneByOne(numbers, number_bytes, i, count, out);
}

// The lanes of eight neighbours that are fresh.
struct FreshLanes {
  __m256i lanes;
  uint32_t marks = 0;
  // Whether that is so: a neighbour that is fresh may be met again.
  bool certain = false;
};

// Of the lanes whose numbers are not below the next one, each has to be the
// next in its turn. Then none of the others is.
FreshLanes FindFresh(__m256i neighbors, uint32_t next) {
  const __m256i from = _mm256_set1_epi32(static_cast<int>(next));
  FreshLanes fresh;
  fresh.lanes =
      _mm256_cmpeq_epi32(_mm256_max_epu32(neighbors, from), neighbors);
  fresh.marks = static_cast<uint32_t>(
      _mm256_movemask_ps(_mm256_castsi256_ps(fresh.lanes)));
  const __m256i rank = _mm256_cvtepu8_epi32(_mm_loadl_epi64(
      reinterpret_cast<const __m128i*>(kRanks.of[fresh.marks])));
  const __m256i in_turn =
      _mm256_cmpeq_epi32(neighbors, _mm256_add_epi32(from, rank));
  fresh.certain = _mm256_testc_si256(in_turn, fresh.lanes) != 0;
  return fresh;
}

__m256i Load(const uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

void Measure(MeasureCursor& cursor, const uint32_t* neighbors, size_t count) {
  __m256i largest = _mm256_setzero_si256(), known = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256i lanes = Load(neighbors + i);
    const FreshLanes fresh = FindFresh(lanes, cursor.next);
    if (!fresh.certain) {
      MeasureOneByOne(cursor, neighbors + i, kLanes);
      continue;
    }
    cursor.next += static_cast<uint32_t>(__builtin_popcount(fresh.marks));
    largest = _mm256_max_epu32(largest, lanes);
    known = _mm256_max_epu32(known, _mm256_andnot_si256(fresh.lanes, lanes));
  }
  const uint32_t most = LargestOf(largest), most_known = LargestOf(known);
  if (most > cursor.largest) cursor.largest = most;
  if (most_known > cursor.largest_known) cursor.largest_known = most_known;
  MeasureOneByOne(cursor, neighbors + i, count - i);
}

// Returns the shuffle, of each 16 bytes, that narrows four numbers to `to`
// bytes each.
__m256i NarrowingTo(size_t to) {
  alignas(16) int8_t bytes[16];
  for (size_t i = 0; i < 16; ++i) {
    bytes[i] = i < 4 * to ? static_cast<int8_t>(i / to * 4 + i % to)
                          : static_cast<int8_t>(-1);
  }
  return _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

void Encode(EncodeCursor& cursor, const uint32_t* neighbors, size_t count) {
  const __m256i narrowing = NarrowingTo(cursor.number_bytes);
  const size_t half = 4 * cursor.number_bytes;
  size_t i = 0;
  for (; i + kLanes <= count &&
         static_cast<size_t>(cursor.end - cursor.numbers) >= half + 16;
       i += kLanes) {
    const __m256i lanes = Load(neighbors + i);
    uint32_t marks = 0;
    if (cursor.marks != nullptr) {
      const FreshLanes fresh = FindFresh(lanes, cursor.next);
      if (!fresh.certain) {
        EncodeOneByOne(cursor, neighbors + i, kLanes);
        continue;
      }
      marks = fresh.marks;
      *cursor.marks++ = static_cast<uint8_t>(marks);
    }
    const __m256i front = _mm256_cvtepu8_epi32(_mm_loadl_epi64(
        reinterpret_cast<const __m128i*>(kKnownLanes.of[marks])));
    const __m256i packed = _mm256_shuffle_epi8(
        _mm256_permutevar8x32_epi32(lanes, front), narrowing);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cursor.numbers),
                     _mm256_castsi256_si128(packed));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cursor.numbers + half),
                     _mm256_extracti128_si256(packed, 1));
    const auto num_fresh = static_cast<uint32_t>(__builtin_popcount(marks));
    cursor.next += num_fresh;
    cursor.numbers += (kLanes - num_fresh) * cursor.number_bytes;
  }
  EncodeOneByOne(cursor, neighbors + i, count - i);
}

}  // namespace

const CompactPath kCompactAvx2 = {"avx2",    ExpandNeighbors, ExpandDegrees,
                                  ExpandIds, Measure,         Encode};

}  // namespace tributary
