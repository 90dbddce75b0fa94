#include "sampler_server/engine/local_numbering.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tributary {
namespace {

constexpr size_t kAhead = 24;  // prefetch distance, in ids
constexpr size_t kFewestSlots = 256;

template <typename Slot>
constexpr auto kEmpty = std::numeric_limits<decltype(Slot::local)>::max();

}  // namespace

LocalNumbering::LocalNumbering(uint64_t num_nodes) : num_nodes_(num_nodes) {}

size_t LocalNumbering::bytes() const {
  return table_.size() + ids_.capacity() * sizeof(uint64_t);
}

void LocalNumbering::Reset() {
  ids_.clear();
  slots_ = 0;
}

void LocalNumbering::DropTable() {
  table_ = AlignedBuffer();
  slots_ = 0;
}

void LocalNumbering::Number(absl::Span<const uint64_t> ids, uint32_t* local) {
  if (num_nodes_ <= std::numeric_limits<uint32_t>::max()) {
    NumberIn<NarrowSlot>(ids, local);
  } else {
    NumberIn<WideSlot>(ids, local);
  }
}

// Room for all ids of a graph's type, or for half of those that come (the rest
// are repeats, or the table grows again), each at most half full.
template <typename Slot>
void LocalNumbering::NumberIn(absl::Span<const uint64_t> ids, uint32_t* local) {
  constexpr size_t kBlock = 1024;
  const uint64_t hope =
      std::min<uint64_t>(ids_.size() + ids.size() / 2 + kBlock, num_nodes_);
  Grow<Slot>(std::bit_ceil(2 * hope));
  for (size_t start = 0; start < ids.size(); start += kBlock) {
    const size_t stop = std::min(start + kBlock, ids.size());
    const size_t before = ids_.size();
    const uint64_t most =
        std::min<uint64_t>(before + (stop - start), num_nodes_);
    Grow<Slot>(std::bit_ceil(2 * most));
    ids_.resize(before + (stop - start) + 1);  // one past: written, not kept
    ids_.resize(before + NumberBlock<Slot>(ids, start, stop, local));
  }
}

// The number of new ids. They go behind those that ids_ held before.
template <typename Slot>
size_t LocalNumbering::NumberBlock(absl::Span<const uint64_t> ids, size_t start,
                                   size_t stop, uint32_t* local) {
  Slot* const table = reinterpret_cast<Slot*>(table_.data());
  const uint64_t* const id_at = ids.data();
  uint64_t* const numbered = ids_.data();
  const size_t mask = slots_ - 1, n = ids.size();
  const size_t first = ids_.size() - (stop - start) - 1;
  size_t next = first;
  for (size_t i = start; i < stop; ++i) {
    if (i + kAhead < n) {
      __builtin_prefetch(table + SlotOf(id_at[i + kAhead]), 1, 3);
    }
    const uint64_t id = id_at[i];
    size_t at = SlotOf(id);
    while (table[at].local != kEmpty<Slot> && table[at].id != id) {
      at = (at + 1) & mask;
    }
    // The same stores for a new id and a known one: no branch to miss.
    Slot& slot = table[at];
    const bool fresh = slot.local == kEmpty<Slot>;
    const size_t number = fresh ? next : slot.local;
    slot.id = static_cast<decltype(slot.id)>(id);
    slot.local = static_cast<decltype(slot.local)>(number);
    numbered[next] = id;
    local[i] = static_cast<uint32_t>(number);
    next += fresh ? 1 : 0;
  }
  return next - first;
}

template <typename Slot>
void LocalNumbering::Grow(size_t slots) {
  slots = std::max(slots, kFewestSlots);
  if (slots <= slots_) return;
  slots_ = slots;
  shift_ = 64 - std::countr_zero(slots);
  if (table_.size() < slots * sizeof(Slot)) {
    table_ = AlignedBuffer();  // never both at once
    table_ = AlignedBuffer(slots * sizeof(Slot));
  }
  Slot* const table = reinterpret_cast<Slot*>(table_.data());
  std::fill_n(table, slots, Slot{0, kEmpty<Slot>});
  for (size_t number = 0; number < ids_.size(); ++number) {
    if (number + kAhead < ids_.size()) {
      __builtin_prefetch(table + SlotOf(ids_[number + kAhead]), 1, 3);
    }
    size_t at = SlotOf(ids_[number]);
    while (table[at].local != kEmpty<Slot>) at = (at + 1) & (slots - 1);
    table[at].id = static_cast<decltype(Slot::id)>(ids_[number]);
    table[at].local = static_cast<decltype(Slot::local)>(number);
  }
}

}  // namespace tributary
