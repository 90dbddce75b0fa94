#include "partition/pipeline/partitioners/metis/balance_repair.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "partition/pipeline/partitioners/method/balance_weights.h"

namespace tributary {

BalanceRepair::BalanceRepair(const UndirectedGraph& graph,
                             const VertexWeights& weights, uint32_t parts,
                             uint32_t imbalance_permille,
                             absl::Span<idx_t> part)
    : graph_(graph),
      weights_(weights),
      parts_(parts),
      part_(part),
      load_(weights.num_constraints * parts, 0) {
  for (const uint64_t total : weights.totals) {
    capacity_.push_back(BalanceCapacity(total, imbalance_permille, parts));
  }
  for (size_t v = 0; v < part_.size(); ++v) {
    for (size_t k = 0; k < capacity_.size(); ++k) {
      load(k, static_cast<size_t>(part_[v])) += weights_.of(v, k);
    }
  }
}

uint64_t BalanceRepair::Excess() const {
  uint64_t excess = 0;
  for (size_t k = 0; k < capacity_.size(); ++k) {
    for (size_t p = 0; p < parts_; ++p) {
      if (load(k, p) <= capacity_[k]) continue;
      const uint64_t over = load(k, p) - capacity_[k];
      excess = std::max(excess, 1 + over * 1000 * parts_ / weights_.totals[k]);
    }
  }
  return excess;
}

std::string BalanceRepair::ExcessText() const {
  std::vector<std::string> parts;
  for (size_t k = 0; k < capacity_.size(); ++k) {
    uint64_t most = 0;
    for (size_t p = 0; p < parts_; ++p) most = std::max(most, load(k, p));
    if (most <= capacity_[k]) continue;
    const double means = static_cast<double>(most * parts_) /
                         static_cast<double>(weights_.totals[k]);
    parts.push_back(absl::StrFormat("%s %.3f", weights_.names[k], means));
  }
  return absl::StrJoin(parts, ", ");
}

bool BalanceRepair::MustLeave(size_t v) const {
  for (size_t k = 0; k < capacity_.size(); ++k) {
    const bool over = load(k, static_cast<size_t>(part_[v])) > capacity_[k];
    if (over && weights_.of(v, k) > 0) return true;
  }
  return false;
}

bool BalanceRepair::Fits(size_t v, size_t partition) const {
  for (size_t k = 0; k < capacity_.size(); ++k) {
    const uint64_t weight = weights_.of(v, k);
    if (weight > 0 && load(k, partition) + weight > capacity_[k]) return false;
  }
  return true;
}

void BalanceRepair::Move(size_t v, size_t to) {
  for (size_t k = 0; k < capacity_.size(); ++k) {
    load(k, static_cast<size_t>(part_[v])) -= weights_.of(v, k);
    load(k, to) += weights_.of(v, k);
  }
  part_[v] = static_cast<idx_t>(to);
}

// Moves nodes for which the cut grows by at most `max_cost`.
void BalanceRepair::Pass(int64_t max_cost) {
  std::vector<int64_t> neighbors(parts_, 0);
  for (size_t v = 0; v < part_.size(); ++v) {
    if (!MustLeave(v)) continue;
    std::fill(neighbors.begin(), neighbors.end(), 0);
    for (idx_t i = graph_.xadj[v]; i < graph_.xadj[v + 1]; ++i) {
      const auto u = static_cast<size_t>(graph_.adjncy[static_cast<size_t>(i)]);
      ++neighbors[static_cast<size_t>(part_[u])];
    }
    size_t best = parts_;
    for (size_t p = 0; p < parts_; ++p) {
      if (!Fits(v, p)) continue;
      if (best == parts_ || neighbors[p] > neighbors[best]) best = p;
    }
    if (best == parts_) continue;
    const int64_t here = neighbors[static_cast<size_t>(part_[v])];
    if (here - neighbors[best] <= max_cost) Move(v, best);
  }
}

void BalanceRepair::Run() {
  for (const int64_t max_cost :
       {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, int64_t{32},
        std::numeric_limits<int64_t>::max()}) {
    if (Excess() == 0) return;
    Pass(max_cost);
  }
}

}  // namespace tributary
