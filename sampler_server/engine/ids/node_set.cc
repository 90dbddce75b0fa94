#include "sampler_server/engine/ids/node_set.h"

#include <algorithm>
#include <bit>

namespace tributary {
namespace {

constexpr size_t kBitsPerId = 8;
constexpr size_t kLeastBits = 512;  // a line

size_t BitsFor(size_t size) {
  return std::bit_ceil(std::max(kLeastBits, size * kBitsPerId));
}

size_t SlotsFor(size_t size) {
  return std::bit_ceil(std::max<size_t>(2, size + size / 2 + 1));
}

}  // namespace

size_t NodeSet::BytesFor(size_t size) {
  return BitsFor(size) / 8 + SlotsFor(size) * sizeof(uint32_t);
}

NodeSet::NodeSet(absl::Span<const uint64_t> ids, StopCheck* stop)
    : ids_(ids),
      bit_shift_(64 - std::countr_zero(BitsFor(ids.size()))),
      mask_(SlotsFor(ids.size()) - 1),
      bits_(BitsFor(ids.size()) / 64),
      slots_(SlotsFor(ids.size())) {
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint64_t bit = HashOf(ids[i]) >> bit_shift_;
    bits_[bit / 64] |= uint64_t{1} << (bit % 64);
    if (ShouldStop(stop, 1)) return;
    if (Find(ids[i]) != kNone) continue;
    size_t at = HomeOf(ids[i]);
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = static_cast<uint32_t>(i) + 1;
  }
}

}  // namespace tributary
