#include "sampler_server/kinds/shared/degree_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/random/degree_weight.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr uint64_t kLeastBlock = 512, kMostBlocks = 32768;
constexpr uint64_t kPieceNodes = uint64_t{1} << 16;
// Degrees below this, as most are, have their weights in a table of 64 KiB.
constexpr uint64_t kSmallDegrees = 16384;

uint64_t BlockOf(uint64_t num_nodes) {
  uint64_t block = kLeastBlock;
  while ((num_nodes - 1) / block >= kMostBlocks) block *= 2;
  return block;
}

}  // namespace

DegreeTable::DegreeTable(uint64_t num_nodes, uint64_t num_edges, uint32_t power)
    : num_nodes_(num_nodes),
      num_edges_(num_edges),
      power_(power),
      block_(BlockOf(num_nodes)),
      num_blocks_((num_nodes + block_ - 1) / block_),
      num_weights_(std::min(kSmallDegrees, num_edges + 1)) {}

uint64_t DegreeTable::bytes() const {
  return (num_blocks_ + 1) * sizeof(uint64_t) + num_weights_ * sizeof(uint32_t);
}

uint64_t DegreeTable::WeightOf(uint64_t degree) const {
  return degree < weights_.size() ? weights_[degree]
                                  : DegreeWeight(degree, power_);
}

absl::StatusOr<bool> DegreeTable::Sum(const IdArray& degrees) {
  const MutexLock lock(mutex_);
  if (degrees.size() != num_nodes_) {
    return absl::DataLossError(absl::StrCat("degrees of ", degrees.size(),
                                            " nodes, of which there are ",
                                            num_nodes_, ": verify the graph"));
  }
  if (status_.ok() && summed_blocks_ < num_blocks_) {
    status_ = SumPiece(degrees);
  }
  if (!status_.ok()) return status_;
  return summed_blocks_ == num_blocks_;
}

void DegreeTable::Allocate() {
  prefix_.resize(num_blocks_ + 1);
  weights_.resize(num_weights_);
  for (uint64_t d = 0; d < weights_.size(); ++d) {
    weights_[d] = static_cast<uint32_t>(DegreeWeight(d, power_));
  }
}

absl::Status DegreeTable::SumPiece(const IdArray& degrees) {
  if (summed_blocks_ == 0) Allocate();
  const uint64_t blocks = num_blocks_;
  const uint64_t end = std::min(
      blocks, summed_blocks_ + std::max<uint64_t>(1, kPieceNodes / block_));
  for (; summed_blocks_ < end; ++summed_blocks_) {
    uint64_t sum = prefix_[summed_blocks_];
    const uint64_t from = summed_blocks_ * block_;
    const uint64_t to = std::min(from + block_, num_nodes_);
    for (uint64_t v = from; v < to; ++v) {
      const uint64_t degree = degrees[v];
      if (degree > num_edges_ - seen_edges_) {
        return absl::DataLossError(absl::StrCat(
            "degrees of node ", v, " and those before it are more than the ",
            num_edges_, " edges: verify the graph"));
      }
      seen_edges_ += degree;
      sum += WeightOf(degree);
    }
    prefix_[summed_blocks_ + 1] = sum;
  }
  if (end < blocks || seen_edges_ == num_edges_) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("degrees are of ", seen_edges_,
                                          " edges, of which there are ",
                                          num_edges_, ": verify the graph"));
}

int64_t DegreeTable::Draw(const IdArray& degrees, uint64_t word) const {
  const auto at = static_cast<uint64_t>(
      (static_cast<unsigned __int128>(word) * prefix_.back()) >> 64);
  return degrees.wide() ? Search(degrees.wide_span(), at)
                        : Search(degrees.narrow_span(), at);
}

template <typename Degree>
int64_t DegreeTable::Search(absl::Span<const Degree> degrees,
                            uint64_t at) const {
  const auto above = std::upper_bound(prefix_.begin(), prefix_.end(), at);
  const auto block = static_cast<uint64_t>(above - prefix_.begin() - 1);
  uint64_t left = at - prefix_[block];
  const uint64_t last = std::min((block + 1) * block_, num_nodes_) - 1;
  for (uint64_t v = block * block_; v < last; ++v) {
    const uint64_t weight = WeightOf(degrees[v]);
    if (left < weight) return static_cast<int64_t>(v);
    left -= weight;
  }
  return static_cast<int64_t>(last);
}

}  // namespace tributary
