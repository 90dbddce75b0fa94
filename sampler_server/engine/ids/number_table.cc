#include "sampler_server/engine/ids/number_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/io/prefetch.h"

namespace tributary {
namespace {

constexpr size_t kAhead = 24;  // prefetch distance, in ids
constexpr int kFewestBits = 8;
// No number has this value, and no tight slot: its number is less than mask_.
constexpr uint32_t kEmpty = 0xFFFFFFFF;

int BitsFor(uint64_t size, NumberTable::Fit fit) {
  const uint64_t slots =
      fit == NumberTable::Fit::kRoomy ? 2 * size : size + size / 2 + 1;
  const int bits =
      static_cast<int>(std::bit_width(slots - (slots > 0 ? 1 : 0)));
  return std::max(kFewestBits, bits);
}

size_t SlotBytes(NumberTable::Fit fit) {
  return fit == NumberTable::Fit::kRoomy ? 8 : 4;
}

}  // namespace

size_t NumberTable::BytesFor(uint64_t size, Fit fit) {
  return SlotBytes(fit) << BitsFor(size, fit);
}

void NumberTable::Rebuild(uint64_t size, Fit fit,
                          absl::Span<const uint64_t> ids) {
  fit_ = fit;
  bits_ = BitsFor(size, fit);
  const uint64_t slots = uint64_t{1} << bits_;
  mask_ = static_cast<uint32_t>(slots - 1);
  most_size_ = fit == Fit::kRoomy ? slots / 2 : std::max(size, slots / 3 * 2);
  const size_t bytes = SlotBytes(fit) << bits_;
  if (memory_.size() < bytes) {
    memory_ = AlignedBuffer();  // never both at once
    memory_ = AlignedBuffer(bytes);
  }
  std::memset(memory_.data(), 0xFF, bytes);
  for (size_t number = 0; number < ids.size(); ++number) {
    if (number + kAhead < ids.size()) {
      PrefetchToWrite(memory_.data() +
                      HomeOf(HashOf(ids[number + kAhead])) * SlotBytes(fit));
    }
    Insert(ids[number], static_cast<uint32_t>(number));
  }
}

// Of an id that is not in the table.
void NumberTable::Insert(uint64_t id, uint32_t number) {
  const uint64_t hash = HashOf(id);
  size_t at = HomeOf(hash);
  if (fit_ == Fit::kRoomy) {
    while (roomy()[at].number != kEmpty) at = (at + 1) & mask_;
    roomy()[at] = {static_cast<uint32_t>(id), number};
  } else {
    while (tight()[at] != kEmpty) at = (at + 1) & mask_;
    tight()[at] = TagOf(hash) | number;
  }
}

size_t NumberTable::Number(absl::Span<const uint64_t> ids, size_t n,
                           size_t next, uint64_t* ids_by_number,
                           uint32_t* local) {
  return fit_ == Fit::kRoomy ? NumberRoomy(ids, n, next, ids_by_number, local)
                             : NumberTight(ids, n, next, ids_by_number, local);
}

size_t NumberTable::NumberRoomy(absl::Span<const uint64_t> ids, size_t n,
                                size_t next, uint64_t* ids_by_number,
                                uint32_t* local) {
  RoomySlot* const slots = roomy();
  const uint64_t* const id_at = ids.data();
  const size_t all = ids.size(), first = next, mask = mask_;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < all) {
      PrefetchToWrite(slots + HomeOf(HashOf(id_at[i + kAhead])));
    }
    const uint64_t id = id_at[i];
    size_t at = HomeOf(HashOf(id));
    while (slots[at].number != kEmpty && slots[at].id != id) {
      at = (at + 1) & mask;
    }
    // The same stores for a new id and a known one: no branch to miss.
    RoomySlot& slot = slots[at];
    const bool fresh = slot.number == kEmpty;
    const size_t number = fresh ? next : slot.number;
    slot.id = static_cast<uint32_t>(id);
    slot.number = static_cast<uint32_t>(number);
    ids_by_number[next] = id;
    local[i] = static_cast<uint32_t>(number);
    next += fresh ? 1 : 0;
  }
  return next - first;
}

size_t NumberTable::NumberTight(absl::Span<const uint64_t> ids, size_t n,
                                size_t next, uint64_t* ids_by_number,
                                uint32_t* local) {
  uint32_t* const slots = tight();
  const size_t first = next;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < ids.size()) {
      PrefetchToWrite(slots + HomeOf(HashOf(ids[i + kAhead])));
    }
    const uint64_t id = ids[i], hash = HashOf(id);
    const uint32_t tag = TagOf(hash);
    size_t at = HomeOf(hash);
    while (slots[at] != kEmpty && ((slots[at] ^ tag) > mask_ ||
                                   ids_by_number[slots[at] & mask_] != id)) {
      at = (at + 1) & mask_;
    }
    if (slots[at] == kEmpty) {
      slots[at] = tag | static_cast<uint32_t>(next);
      ids_by_number[next++] = id;
    }
    local[i] = slots[at] & mask_;
  }
  return next - first;
}

}  // namespace tributary
