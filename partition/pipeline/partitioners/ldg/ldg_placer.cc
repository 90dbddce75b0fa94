#include "partition/pipeline/partitioners/ldg/ldg_placer.h"

#include <algorithm>
#include <limits>

namespace tributary {
namespace {

using Wide = unsigned __int128;
constexpr uint64_t kWhole = uint64_t{1} << 32;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Returns floor(part * 2^32 / whole).
uint64_t Share(uint64_t part, uint64_t whole) {
  if (part < kWhole) return (part << 32) / whole;
  const Wide share = (Wide{part} << 32) / whole;
  return static_cast<uint64_t>(
      std::min<Wide>(share, std::numeric_limits<uint64_t>::max()));
}

}  // namespace

LdgPlacer::LdgPlacer(const JointNodes& nodes, const BalanceWeights& weights,
                     uint32_t parts, uint32_t imbalance_permille)
    : weights_(weights), parts_(parts), counts_(parts, 0) {
  const auto make_load = [&](const BalanceConstraint& constraint) {
    Load load;
    load.constraint = constraint;
    load.capacity =
        BalanceCapacity(constraint.total, imbalance_permille, parts);
    load.load.assign(parts, 0);
    load.room.assign(parts, kWhole);
    return load;
  };
  BalanceConstraint all_nodes;
  all_nodes.total = nodes.size();
  nodes_load_ = make_load(all_nodes);
  loads_of_type_.resize(nodes.first.size() - 1);
  for (const BalanceConstraint& constraint : weights.constraints()) {
    for (size_t t = 0; t < loads_of_type_.size(); ++t) {
      if (constraint.type >= 0 && static_cast<size_t>(constraint.type) != t) {
        continue;
      }
      loads_of_type_[t].push_back(loads_.size());
    }
    loads_.push_back(make_load(constraint));
  }
}

uint64_t LdgPlacer::Bytes(size_t num_types, size_t num_constraints,
                          uint32_t parts) {
  // Loads and rooms; counts; a heap, of up to twice its size while it grows,
  // for each of the sets of loads that nodes of a type may have.
  return parts * (16 * (num_constraints + 1) + 16 + 32 * 4 * num_types);
}

uint64_t LdgPlacer::FindTerms(uint64_t v, int type) {
  const auto& candidates = loads_of_type_[static_cast<size_t>(type)];
  terms_.clear();
  uint64_t set = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    Load& load = loads_[candidates[i]];
    const uint64_t weight = weights_.Weight(load.constraint, type, v);
    if (weight == 0) continue;
    terms_.push_back({&load, weight});
    set |= uint64_t{1} << i;
  }
  if (terms_.empty()) {
    terms_.push_back({&nodes_load_, 1});
    return 0;
  }
  // At most 4 constraints concern a type.
  return set + (static_cast<uint64_t>(type) << 4);
}

uint64_t LdgPlacer::RoomOf(uint32_t partition) const {
  uint64_t room = terms_[0].load->room[partition];
  for (size_t i = 1; i < terms_.size(); ++i) {
    room = std::min(room, terms_[i].load->room[partition]);
  }
  return room;
}

bool LdgPlacer::Fits(uint32_t partition) const {
  for (const Term& term : terms_) {
    const Load& load = *term.load;
    if (load.load[partition] + term.weight > load.capacity) return false;
  }
  return true;
}

uint32_t LdgPlacer::BestOfTouched() const {
  uint32_t best = kNone;
  uint64_t best_room = 0;
  Wide best_score = 0;
  for (const uint16_t p : touched_) {
    if (!Fits(p)) continue;
    const uint64_t room = RoomOf(p);
    const Wide score = Wide{counts_[p]} * room;
    if (score == 0 || score < best_score) continue;
    if (score == best_score &&
        (room < best_room || (room == best_room && p > best))) {
      continue;
    }
    best = p;
    best_room = room;
    best_score = score;
  }
  return best;
}

uint32_t LdgPlacer::Emptiest(uint64_t set) {
  auto [found, is_new] = heaps_.try_emplace(set);
  Heap& heap = found->second;
  if (is_new) {
    for (uint32_t p = 0; p < parts_; ++p) heap.push({RoomOf(p), p});
  }
  for (;;) {
    const auto [room, p] = heap.top();
    const uint64_t now = RoomOf(p);
    if (now == room) return Fits(p) ? p : EmptiestThatFits();
    heap.pop();
    heap.push({now, p});
  }
}

uint32_t LdgPlacer::EmptiestThatFits() const {
  uint32_t best = kNone;
  uint64_t best_room = 0;
  for (uint32_t p = 0; p < parts_; ++p) {
    if (!Fits(p)) continue;
    const uint64_t room = RoomOf(p);
    if (best != kNone && room <= best_room) continue;
    best = p;
    best_room = room;
  }
  return best != kNone ? best : LeastOverfull();
}

uint32_t LdgPlacer::LeastOverfull() const {
  uint32_t best = 0;
  uint64_t best_fill = std::numeric_limits<uint64_t>::max();
  for (uint32_t p = 0; p < parts_; ++p) {
    uint64_t fill = 0;
    for (const Term& term : terms_) {
      const Load& load = *term.load;
      fill = std::max(fill, Share(load.load[p] + term.weight, load.capacity));
    }
    if (fill >= best_fill) continue;
    best = p;
    best_fill = fill;
  }
  return best;
}

void LdgPlacer::Add(uint32_t partition, uint64_t v, int type) {
  const auto add = [&](Load& load, uint64_t weight) {
    const uint64_t sum = load.load[partition] += weight;
    load.room[partition] =
        sum >= load.capacity ? 0 : Share(load.capacity - sum, load.capacity);
  };
  for (const size_t i : loads_of_type_[static_cast<size_t>(type)]) {
    const uint64_t weight = weights_.Weight(loads_[i].constraint, type, v);
    if (weight != 0) add(loads_[i], weight);
  }
  add(nodes_load_, 1);
}

uint16_t LdgPlacer::Place(uint64_t v, int type) {
  const uint64_t set = FindTerms(v, type);
  uint32_t partition = BestOfTouched();
  if (partition == kNone) partition = Emptiest(set);
  Add(partition, v, type);
  for (const uint16_t p : touched_) counts_[p] = 0;
  touched_.clear();
  return static_cast<uint16_t>(partition);
}

}  // namespace tributary
