#include "sampler_server/kinds/ppr/push_sums.h"

#include <algorithm>

#include "sampler_server/engine/batch/held_memory.h"

namespace tributary {
namespace {

constexpr int kFirstBits = 6;
// Memory of a PushSums itself, and what allocations are rounded up by.
constexpr size_t kFixedBytes = sizeof(PushSums) + 120;

}  // namespace

PushSums::PushSums(const PushRule& rule, uint32_t input) : rule_(rule) {
  Rehash(kFirstBits);
  Add(input, kPushMass);
}

void PushSums::Rehash(size_t bits) {
  bits_ = static_cast<int>(bits);
  FreeMemory(slots_);
  slots_.assign(size_t{1} << bits, 0);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t slot = HomeOf(entries_[i].number);
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(i + 1);
  }
}

void PushSums::Add(uint32_t number, uint64_t amount) {
  const size_t mask = slots_.size() - 1;
  size_t slot = HomeOf(number);
  while (slots_[slot] != 0 && entries_[slots_[slot] - 1].number != number) {
    slot = (slot + 1) & mask;
  }
  if (slots_[slot] == 0) {
    entries_.push_back({0, 0, number, 0});
    slots_[slot] = static_cast<uint32_t>(entries_.size());
  }
  const uint32_t place = slots_[slot] - 1;
  Entry& entry = entries_[place];
  entry.residual += amount;
  if (entry.round != round_) {
    entry.round = round_;
    touched_.push_back(place);
  }
  if (2 * entries_.size() > slots_.size()) Rehash(bits_ + 1);
}

bool PushSums::Choose(const SeenGraph& graph, StopCheck* stop) {
  pushing_.clear();
  for (const uint32_t place : touched_) {
    if (ShouldStop(stop, 1)) break;
    Entry& entry = entries_[place];
    const uint64_t degree = graph.degree(entry.number);
    if (degree == 0) {
      entry.score += entry.residual;
      entry.residual = 0;
    } else if (round_ == 1 || rule_.IsEnough(entry.residual, degree)) {
      ChooseOne(entry, degree);
    }
  }
  touched_.clear();
  ++round_;
  return !pushing_.empty();
}

void PushSums::ChooseOne(Entry& entry, uint64_t degree) {
  const auto stays = static_cast<uint64_t>(
      static_cast<unsigned __int128>(entry.residual) * rule_.alpha >> 32);
  const uint64_t goes = entry.residual - stays;
  entry.score += stays + goes % degree;
  entry.residual = 0;
  pushing_.push_back({entry.number, goes / degree});
}

void PushSums::Push(const SeenGraph& graph, StopCheck* stop) {
  for (const Pushing& from : pushing_) {
    if (from.each == 0) continue;
    const absl::Span<const uint32_t> neighbors = graph.neighbors(from.number);
    const bool done =
        InPieces(stop, neighbors.size(), [&](uint64_t begin, uint64_t end) {
          for (uint64_t i = begin; i < end; ++i) Add(neighbors[i], from.each);
        });
    if (!done) return;
  }
}

void PushSums::KeepLargest(size_t k) {
  for (auto* list : {&slots_, &touched_}) FreeMemory(*list);
  FreeMemory(pushing_);
  const auto is_zero = [](const Entry& e) { return e.score == 0; };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_zero),
                 entries_.end());
  const auto larger = [](const Entry& a, const Entry& b) {
    return a.score > b.score;
  };
  uint64_t least = 1;
  if (entries_.size() > k) {
    std::nth_element(entries_.begin(), entries_.begin() + (k - 1),
                     entries_.end(), larger);
    least = entries_[k - 1].score;
  }
  const auto kept = [least](const Entry& e) { return e.score >= least; };
  largest_.reserve(std::count_if(entries_.begin(), entries_.end(), kept));
  for (const Entry& entry : entries_) {
    if (kept(entry)) largest_.push_back({entry.score, entry.number});
  }
  FreeMemory(entries_);
}

size_t PushSums::bytes() const {
  return HeldBytes(entries_) + HeldBytes(slots_) + HeldBytes(touched_) +
         HeldBytes(pushing_) + HeldBytes(largest_) + kFixedBytes;
}

size_t PushSums::BytesToChoose() const {
  return bytes() + std::max(touched_.size() * 3 * sizeof(Pushing),
                            entries_.size() * sizeof(Scored));
}

// Vectors double their capacity; meanwhile the old array is held, too.
size_t PushSums::BytesToPush(uint64_t nodes) const {
  const uint64_t entries = entries_.size() + nodes;
  uint64_t bytes = kFixedBytes + HeldBytes(pushing_);
  bytes += entries <= entries_.capacity()
               ? HeldBytes(entries_)
               : 2 * entries * sizeof(Entry) + HeldBytes(entries_);
  bytes +=
      std::max<uint64_t>(HeldBytes(slots_), 4 * entries * sizeof(uint32_t));
  bytes += nodes <= touched_.capacity()
               ? HeldBytes(touched_)
               : 2 * nodes * sizeof(uint32_t) + HeldBytes(touched_);
  return bytes;
}

}  // namespace tributary
