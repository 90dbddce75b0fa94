#include "trainer_client/torch/tasks/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckNumbers(absl::Span<const float> scores,
                          absl::string_view what) {
  // Of every score first, in a loop that vectorises.
  bool any = false;
  for (float score : scores) any |= std::isnan(score);
  if (!any) return absl::OkStatus();
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!std::isnan(scores[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the score of ", what, " ", i, " is NaN"));
  }
  return absl::OkStatus();
}

absl::Status CheckK(size_t k) {
  if (k > 0) return absl::OkStatus();
  return absl::InvalidArgumentError("k is 0; allowed: 1 or more");
}

absl::Status CheckNotEmpty(size_t size, absl::string_view what) {
  if (size > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("there are no ", what, " to measure by"));
}

// Counts the scores above and at that of a positive.
class RankCounter {
 public:
  explicit RankCounter(float positive) : positive_(positive) {}
  void Add(float score) {
    higher_ += score > positive_ ? 1 : 0;
    equal_ += score == positive_ ? 1 : 0;
  }
  void Remove(float score) {
    higher_ -= score > positive_ ? 1 : 0;
    equal_ -= score == positive_ ? 1 : 0;
  }
  double rank() const {
    return static_cast<double>(2 * higher_ + equal_) / 2 + 1;
  }

 private:
  const float positive_;
  uint64_t higher_ = 0;
  uint64_t equal_ = 0;
};

absl::Status CheckEntity(int64_t entity, size_t num_entities) {
  if (entity >= 0 && static_cast<uint64_t>(entity) < num_entities) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat(
      "entity ", entity, " has no score; there are ", num_entities, " scores"));
}

}  // namespace

absl::StatusOr<double> HitsAtK(absl::Span<const float> positives,
                               absl::Span<const float> negatives, size_t k) {
  RETURN_IF_ERROR(CheckK(k));
  RETURN_IF_ERROR(CheckNotEmpty(positives.size(), "positives"));
  RETURN_IF_ERROR(CheckNumbers(positives, "positive"));
  RETURN_IF_ERROR(CheckNumbers(negatives, "negative"));
  if (negatives.size() < k) return 1.0;
  std::vector<float> sorted(negatives.begin(), negatives.end());
  const auto kth = sorted.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
  const auto hits = std::count_if(positives.begin(), positives.end(),
                                  [&](float score) { return score > *kth; });
  return static_cast<double>(hits) / static_cast<double>(positives.size());
}

absl::StatusOr<std::vector<double>> RanksAmongNegatives(
    absl::Span<const float> positives, absl::Span<const float> negatives,
    size_t negatives_per_positive) {
  const size_t each = negatives_per_positive;
  const bool agrees = each == 0
                          ? negatives.empty()
                          : negatives.size() % each == 0 &&
                                negatives.size() / each == positives.size();
  if (!agrees) {
    return absl::InvalidArgumentError(
        absl::StrCat(negatives.size(), " negatives of ", positives.size(),
                     " positives; allowed: ", each, " for each positive"));
  }
  RETURN_IF_ERROR(CheckNumbers(positives, "positive"));
  RETURN_IF_ERROR(CheckNumbers(negatives, "negative"));
  std::vector<double> ranks;
  ranks.reserve(positives.size());
  for (size_t i = 0; i < positives.size(); ++i) {
    RankCounter counter(positives[i]);
    for (float score : negatives.subspan(i * each, each)) counter.Add(score);
    ranks.push_back(counter.rank());
  }
  return ranks;
}

absl::StatusOr<double> FilteredRank(absl::Span<const float> scores,
                                    int64_t truth,
                                    absl::Span<const int64_t> known) {
  RETURN_IF_ERROR(CheckEntity(truth, scores.size()));
  RETURN_IF_ERROR(CheckNumbers(scores, "entity"));
  std::vector<int64_t> left_out(known.begin(), known.end());
  left_out.push_back(truth);
  std::sort(left_out.begin(), left_out.end());
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  RankCounter counter(scores[static_cast<size_t>(truth)]);
  for (float score : scores) counter.Add(score);
  for (int64_t entity : left_out) {
    RETURN_IF_ERROR(CheckEntity(entity, scores.size()));
    counter.Remove(scores[static_cast<size_t>(entity)]);
  }
  return counter.rank();
}

absl::StatusOr<double> MeanReciprocalRank(absl::Span<const double> ranks) {
  RETURN_IF_ERROR(CheckNotEmpty(ranks.size(), "ranks"));
  double sum = 0;
  for (double rank : ranks) sum += 1 / rank;
  return sum / static_cast<double>(ranks.size());
}

absl::StatusOr<double> HitsOfRanks(absl::Span<const double> ranks, size_t k) {
  RETURN_IF_ERROR(CheckK(k));
  RETURN_IF_ERROR(CheckNotEmpty(ranks.size(), "ranks"));
  const auto hits = std::count_if(ranks.begin(), ranks.end(), [&](double rank) {
    return rank <= static_cast<double>(k);
  });
  return static_cast<double>(hits) / static_cast<double>(ranks.size());
}

}  // namespace tributary
