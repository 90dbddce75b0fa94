#include "common/batch/compact/expand_path.h"

#include <vector>

#include "common/batch/compact/expand_kernel.h"

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

std::vector<ExpandPath> FindPaths() {
  std::vector<ExpandPath> paths = {kExpandScalar};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
    paths.push_back(kExpandAvx2);
  }
  return paths;
}

}  // namespace

const ExpandPath kExpandScalar = {"scalar", ExpandNeighborsOneByOne,
                                  ExpandDegreesOneByOne, ExpandIds};

absl::Span<const ExpandPath> ExpandPaths() {
  static const std::vector<ExpandPath>* const paths =
      new std::vector<ExpandPath>(FindPaths());
  return *paths;
}

}  // namespace tributary
