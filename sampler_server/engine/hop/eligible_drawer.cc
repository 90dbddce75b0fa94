#include "sampler_server/engine/hop/eligible_drawer.h"

#include <algorithm>
#include <limits>

#include "sampler_server/engine/draw/weight_row.h"

namespace tributary {
namespace {

WeightRow RowOf(const HopSource& source, const HopNode& node) {
  return WeightRow(source.edges.weight_sum.subspan(node.begin, node.degree));
}

}  // namespace

EligibleDrawer::EligibleDrawer(const HopSource& source)
    : source_(source),
      query_(source.query),
      timed_(query_.time != TimeMode::kNone),
      latest_(timed_ && query_.latest),
      replace_(query_.replace && !latest_),
      excluded_(query_.excluded) {}

const TimeOrder& EligibleDrawer::order() const {
  return query_.time == TimeMode::kEdge ? source_.edges.edge_time
                                        : source_.edges.neighbor_time;
}

uint64_t EligibleDrawer::Count(const HopNode& node) {
  FindEligible(node);
  return NumDrawn(eligible_, query_.fanout, replace_);
}

bool EligibleDrawer::FindEligible(const HopNode& node) {
  bits_.assign((node.degree + 63) / 64, UINT64_MAX);
  if (node.degree % 64 != 0) {
    bits_.back() = (uint64_t{1} << (node.degree % 64)) - 1;
  }
  const auto bits = absl::MakeSpan(bits_);
  const uint64_t row = query_.rows[node.index];
  if (query_.predicate != nullptr) {
    damaged_ |=
        !query_.predicate->Narrow(source_.edges, query_.first_node + row,
                                  node.begin, node.degree, bits, query_.stop);
  }
  if (MayExclude(row)) {
    excluded_.Narrow(source_.edges, row, node.begin, node.degree, bits,
                     query_.stop);
  }
  if (query_.draw == DrawMode::kWeighted) DropWithoutWeight(node);
  if (timed_) DropOutOfTime(node);
  eligible_ = 0;
  for (uint64_t word : bits_) eligible_ += std::popcount(word);
  return eligible_ == 0 || TakesAll(eligible_, query_.fanout, replace_);
}

void EligibleDrawer::DropWithoutWeight(const HopNode& node) {
  const WeightRow row = RowOf(source_, node);
  InPieces(query_.stop, node.degree, [&](uint64_t from, uint64_t to) {
    for (uint64_t p = from; p < to; ++p) {
      if (row.weight(p) == 0) Drop(p);
    }
  });
}

// Those after the bound are the last ranks.
void EligibleDrawer::DropOutOfTime(const HopNode& node) {
  const auto times = order().time.subspan(node.begin, node.degree);
  const int64_t bound = query_.time_bound[node.index];
  const auto end = query_.strict
                       ? std::lower_bound(times.begin(), times.end(), bound)
                       : std::upper_bound(times.begin(), times.end(), bound);
  in_time_ = static_cast<uint64_t>(end - times.begin());
  const TimeOrder& by_time = order();
  const uint64_t late = node.degree - in_time_;
  InPieces(query_.stop, late, [&](uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) {
      const uint64_t p = by_time.position[node.begin + in_time_ + i];
      damaged_ |= p >= node.degree;
      if (p < node.degree) Drop(p);
    }
  });
}

absl::Span<const uint64_t> EligibleDrawer::Draw(const HopNode& node) {
  positions_.clear();
  if (latest_) {
    DrawLatest(node);
  } else if (timed_) {
    DrawInTime(node);
  } else if (query_.draw == DrawMode::kWeighted) {
    DrawWeighted(node);
  } else if (query_.draw == DrawMode::kLabor) {
    return labor_.Draw(query_.key, source_.edges.neighbor_id, node.begin,
                       node.degree, static_cast<uint32_t>(query_.fanout),
                       {bits_, eligible_}, query_.stop);
  } else {
    DrawUniform(node);
  }
  // Where a damaged file has fewer, others take their places.
  damaged_ |= positions_.size() < node.drawn;
  positions_.resize(node.drawn, 0);
  if (query_.draw == DrawMode::kWeighted || timed_) {
    std::sort(positions_.begin(), positions_.end());
  }
  return positions_;
}

// Ranks ascend, and so do the positions that have them.
void EligibleDrawer::DrawUniform(const HopNode& node) {
  uint64_t before = 0;
  size_t w = 0;
  for (uint64_t rank :
       drawer_.Draw(query_.key, counter(node), eligible_,
                    static_cast<uint32_t>(query_.fanout), replace_)) {
    while (rank - before >= static_cast<uint64_t>(std::popcount(bits_[w]))) {
      before += std::popcount(bits_[w++]);
    }
    uint64_t left = bits_[w];
    for (uint64_t i = before; i < rank; ++i) left &= left - 1;
    positions_.push_back(w * 64 + std::countr_zero(left));
  }
}

void EligibleDrawer::DrawInTime(const HopNode& node) {
  uint64_t seen = 0, rank = 0, p = 0;
  for (uint64_t drawn :
       drawer_.Draw(query_.key, counter(node), eligible_,
                    static_cast<uint32_t>(query_.fanout), replace_)) {
    while (seen <= drawn && rank < in_time_) {
      if (ShouldStop(query_.stop, 1)) return;
      const uint64_t at = order().position[node.begin + rank++];
      damaged_ |= at >= node.degree;
      if (at >= node.degree || !IsEligible(at)) continue;
      p = at;
      ++seen;
    }
    if (seen <= drawn) return;
    positions_.push_back(p);
  }
}

void EligibleDrawer::DrawLatest(const HopNode& node) {
  for (uint64_t rank = in_time_; rank > 0 && positions_.size() < node.drawn;) {
    if (ShouldStop(query_.stop, 1)) return;
    const uint64_t p = order().position[node.begin + --rank];
    damaged_ |= p >= node.degree;
    if (p < node.degree && IsEligible(p)) positions_.push_back(p);
  }
}

// Of what may be drawn: only that counts, as if the rest had no mass.
void EligibleDrawer::SumMass(const HopNode& node) {
  const WeightRow row = RowOf(source_, node);
  mass_before_.clear();
  uint64_t mass = 0;
  for (size_t w = 0; w < bits_.size() && !ShouldStop(query_.stop, 64); ++w) {
    mass_before_.push_back(mass);
    for (uint64_t left = bits_[w]; left != 0; left &= left - 1) {
      mass += row.weight(w * 64 + std::countr_zero(left));
    }
  }
  mass_before_.push_back(mass);
}

// The position that holds a unit of the mass, and its part of that.
bool EligibleDrawer::FindMass(const HopNode& node, uint64_t unit,
                              uint64_t* position,
                              DrawnInterval* interval) const {
  const auto after =
      std::upper_bound(mass_before_.begin(), mass_before_.end(), unit);
  if (after == mass_before_.begin() || after == mass_before_.end()) {
    return false;
  }
  const auto w = static_cast<size_t>(after - mass_before_.begin()) - 1;
  const WeightRow row = RowOf(source_, node);
  uint64_t before = mass_before_[w];
  for (uint64_t left = bits_[w]; left != 0; left &= left - 1) {
    *position = w * 64 + std::countr_zero(left);
    const uint64_t weight = row.weight(*position);
    *interval = {before, weight};
    if (unit - before < weight) return true;
    before += weight;
  }
  return false;
}

void EligibleDrawer::DrawWeighted(const HopNode& node) {
  SumMass(node);
  const NodeCounter from = counter(node);
  PhiloxStream stream(query_.key, from.local_number, from.tree);
  drawn_.Clear();
  uint64_t left = mass_before_.back();
  for (uint32_t i = 0; i < static_cast<uint32_t>(query_.fanout); ++i) {
    const uint64_t low = stream.Word(2 * i);
    const uint64_t word = low | uint64_t{stream.Word(2 * i + 1)} << 32;
    uint64_t unit = BelowOf(word, left), position = 0;
    if (!replace_) unit = drawn_.StepOver(unit);
    DrawnInterval interval{};
    if (!FindMass(node, unit, &position, &interval)) return;
    positions_.push_back(position);
    if (replace_) continue;
    if (interval.weight >= left) return;  // more positions are positive
    left -= interval.weight;
    drawn_.Insert(interval);
  }
}

absl::Status EligibleDrawer::Finish() const {
  if (!damaged_) return absl::OkStatus();
  return absl::DataLossError(
      "sums of weights or an order by time contradict themselves: verify the "
      "graph");
}

}  // namespace tributary
