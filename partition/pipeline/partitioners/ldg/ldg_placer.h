// The rule by which LDG places one node.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PLACER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PLACER_H_

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "partition/pipeline/partitioners/method/balance_weights.h"

namespace tributary {

// Places nodes one after another by linear deterministic greedy (Stanton &
// Kliot, KDD 2012), as docs/graph-format.md defines it: each goes to the
// partition with the highest (number of neighbours there) x (free share of its
// capacity). State only: no edges, no thread, no file. Not thread-safe.
//
//   for (partition of each placed neighbour) placer.Count(partition);
//   const uint16_t partition = placer.Place(v, type);
class LdgPlacer {
 public:
  // `weights` must outlive the placer. 1 <= parts <= 65536.
  LdgPlacer(const JointNodes& nodes, const BalanceWeights& weights,
            uint32_t parts, uint32_t imbalance_permille);

  // Counts a neighbour of the next node.
  void Count(uint16_t partition) {
    if (counts_[partition]++ == 0) touched_.push_back(partition);
  }
  // Places the node of joint number `v` and type `type`; forgets the counts.
  uint16_t Place(uint64_t v, int type);

  // Returns an upper bound of the memory that a placer takes.
  static uint64_t Bytes(size_t num_types, size_t num_constraints,
                        uint32_t parts);

 private:
  // The load of each partition in one constraint.
  struct Load {
    BalanceConstraint constraint;
    uint64_t capacity = 0;
    std::vector<uint64_t> load;
    std::vector<uint64_t> room;  // floor((capacity - load) * 2^32 / capacity)
  };
  // A load in which the next node has a weight.
  struct Term {
    Load* load = nullptr;
    uint64_t weight = 0;
  };
  struct Emptier {
    bool operator()(const std::pair<uint64_t, uint32_t>& a,
                    const std::pair<uint64_t, uint32_t>& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };
  // Partitions by their room, which was at least as large as it is now.
  using Heap =
      std::priority_queue<std::pair<uint64_t, uint32_t>,
                          std::vector<std::pair<uint64_t, uint32_t>>, Emptier>;

  // Sets terms_ and returns a number that is equal for equal sets of loads.
  uint64_t FindTerms(uint64_t v, int type);
  uint64_t RoomOf(uint32_t partition) const;
  bool Fits(uint32_t partition) const;
  uint32_t BestOfTouched() const;
  uint32_t Emptiest(uint64_t set);
  uint32_t EmptiestThatFits() const;
  uint32_t LeastOverfull() const;
  void Add(uint32_t partition, uint64_t v, int type);

  const BalanceWeights& weights_;
  const uint32_t parts_;
  Load nodes_load_;          // for nodes without a weight in any constraint
  std::vector<Load> loads_;  // of the constraints
  std::vector<std::vector<size_t>> loads_of_type_;
  std::vector<Term> terms_;
  std::vector<uint64_t> counts_;   // by partition
  std::vector<uint16_t> touched_;  // with counts > 0
  std::map<uint64_t, Heap> heaps_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PLACER_H_
