// The loops that encode and expand compact edges, by the instruction sets that
// the processor has. The results are the same on each of them.
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_PATH_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_PATH_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// Where the neighbours of a run have been expanded to.
struct NeighborCursor {
  const uint8_t* marks = nullptr;    // of the run; null: see all_fresh
  bool all_fresh = false;            // without marks: all are, or none is
  const uint8_t* numbers = nullptr;  // that come next
  const uint8_t* end = nullptr;      // of all numbers
  size_t number_bytes = 0;           // 1 to 4
  uint32_t next = 0;                 // the next fresh neighbour
  uint32_t largest = 0;              // number of all that were expanded
};
// Writes neighbours [from, to) of the run to 4-byte places of `out`, which is
// that of the run's first one. `from` is a multiple of 8. Requires that there
// are as many numbers as neighbours that are not fresh. The numbers that are
// left may lie in `out`, from the place of the neighbour that they belong to
// on.
using ExpandNeighborsFunction = void (*)(NeighborCursor& cursor, size_t from,
                                         size_t to, uint8_t* out);

// Where the degrees of a run have been expanded to.
struct DegreeCursor {
  const uint8_t* bits = nullptr;  // of the run
  uint32_t node = 0;              // that the next bit belongs to
  uint8_t* out = nullptr;         // the 4-byte place of the next edge
  uint8_t* end = nullptr;         // of the run's places
};
// Expands bits [from, to) of the run: writes the number of its node for each
// edge. `from` is a multiple of 64. Requires that there are places for all.
using ExpandDegreesFunction = void (*)(DegreeCursor& cursor, uint64_t from,
                                       uint64_t to);

// Writes `count` numbers of `number_bytes` (1 to 7) to 8-byte places of `out`.
// There are readable bytes up to `end`, and as many numbers. These may lie in
// `out`, from their own places on.
using ExpandIdsFunction = void (*)(const uint8_t* numbers, const uint8_t* end,
                                   size_t number_bytes, size_t count,
                                   uint8_t* out);

// The measure of a run's neighbours so far: see NeighborMeasure.
struct MeasureCursor {
  uint32_t next = 0;  // the next fresh neighbour
  uint32_t largest = 0;
  uint32_t largest_known = 0;  // of those that are not fresh
};
using MeasureFunction = void (*)(MeasureCursor& cursor,
                                 const uint32_t* neighbors, size_t count);

// Where marks and numbers are written to.
struct EncodeCursor {
  uint8_t* marks = nullptr;  // null: no neighbour is marked
  uint8_t* numbers = nullptr;
  uint8_t* end = nullptr;   // of all numbers
  size_t number_bytes = 0;  // 1 to 4
  uint32_t next = 0;        // the next fresh neighbour
};
// Encodes `count` neighbours; a last byte of marks that is not full ends with
// zeros. Requires that there are places for all numbers. Other bytes before
// `end` may change, too, behind the last number.
using EncodeFunction = void (*)(EncodeCursor& cursor, const uint32_t* neighbors,
                                size_t count);

// The functions of one instruction set.
struct CompactPath {
  const char* name;
  ExpandNeighborsFunction neighbors;
  ExpandDegreesFunction degrees;
  ExpandIdsFunction ids;
  MeasureFunction measure;
  EncodeFunction encode;
};

// Returns the implementations that this processor can run, the fastest last;
// never empty.
absl::Span<const CompactPath> CompactPaths();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_PATH_H_
