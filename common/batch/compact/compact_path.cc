#include "common/batch/compact/compact_path.h"

#include <vector>

#include "common/batch/compact/compact_kernel.h"

namespace tributary {
namespace {

void ExpandDegreesOneByOne(DegreeCursor& cursor, uint64_t from, uint64_t to) {
  ExpandDegreesBy(
      cursor, from, to,
      [](uint8_t* out, const uint8_t* /*end*/, uint64_t count, uint32_t node) {
        for (uint64_t i = 0; i < count; ++i) PutEnd(out, i, node);
      });
}

void ExpandIds(const uint8_t* numbers, const uint8_t* /*end*/,
               size_t number_bytes, size_t count, uint8_t* out) {
  ExpandIdsOneByOne(numbers, number_bytes, 0, count, out);
}

std::vector<CompactPath> FindPaths() {
  std::vector<CompactPath> paths = {kCompactScalar};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
    paths.push_back(kCompactAvx2);
  }
  return paths;
}

}  // namespace

const CompactPath kCompactScalar = {
    "scalar",  ExpandNeighborsOneByOne, ExpandDegreesOneByOne,
    ExpandIds, MeasureOneByOne,         EncodeOneByOne};

absl::Span<const CompactPath> CompactPaths() {
  static const std::vector<CompactPath>* const paths =
      new std::vector<CompactPath>(FindPaths());
  return *paths;
}

}  // namespace tributary
