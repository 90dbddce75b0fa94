#include "trainer_client/torch/tasks/link_metrics.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/tasks/metrics.h"
#include "trainer_client/torch/tasks/ranking_metrics.h"

namespace tributary {
namespace {

absl::Status CheckSizes(const LinkScores& s) {
  if (s.columns > 0 && s.labels.size() == s.scores.size() &&
      s.labels.size() % s.columns == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(s.labels.size(), " labels and ", s.scores.size(),
                   " scores of links with ", s.columns,
                   " columns; allowed: as many of both, the same for each "
                   "link"));
}

// The scores by what they are for.
struct Sides {
  std::vector<float> positives;
  std::vector<float> negatives;
};

Sides SidesOf(const LinkScores& s) {
  Sides sides;
  for (size_t i = 0; i < s.labels.size(); ++i) {
    if (std::isnan(s.labels[i])) continue;
    (s.labels[i] > 0 ? sides.positives : sides.negatives)
        .push_back(s.scores[i]);
  }
  sides.negatives.insert(sides.negatives.end(), s.negatives.begin(),
                         s.negatives.end());
  return sides;
}

absl::StatusOr<double> HitsOf(const LinkScores& s, uint64_t k) {
  const Sides sides = SidesOf(s);
  if (sides.negatives.empty()) {
    return absl::FailedPreconditionError(
        "there are no negatives to measure by");
  }
  return HitsAtK(sides.positives, sides.negatives, k);
}

absl::StatusOr<double> AsOneTask(Metric metric, const LinkScores& s) {
  std::vector<float> labels(s.labels.begin(), s.labels.end());
  std::vector<float> scores(s.scores.begin(), s.scores.end());
  labels.resize(labels.size() + s.negatives.size(), 0);
  scores.insert(scores.end(), s.negatives.begin(), s.negatives.end());
  const TaskScores task{1, labels, scores};
  return metric == Metric::kRocAuc ? RocAuc(task) : AveragePrecision(task);
}

// Each link's rank among the negatives that it has.
absl::StatusOr<double> ReciprocalRank(const LinkScores& s) {
  if (!s.negatives.empty()) {
    return absl::InvalidArgumentError(
        "mrr with negatives that belong to no link; allowed: with negatives "
        "that are sampled for each link");
  }
  std::vector<double> ranks;
  for (size_t row = 0; row < s.labels.size(); row += s.columns) {
    std::vector<float> negatives;
    for (size_t i = row + 1; i < row + s.columns; ++i) {
      if (!std::isnan(s.labels[i])) negatives.push_back(s.scores[i]);
    }
    if (negatives.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "link ", row / s.columns, " has no negatives to rank it among"));
    }
    ASSIGN_OR_RETURN(const std::vector<double> rank,
                     RanksAmongNegatives(s.scores.subspan(row, 1), negatives,
                                         negatives.size()));
    ranks.push_back(rank[0]);
  }
  return MeanReciprocalRank(ranks);
}

}  // namespace

absl::StatusOr<double> MeasureLinks(Metric metric, const LinkScores& scores) {
  RETURN_IF_ERROR(CheckSizes(scores));
  switch (metric.kind()) {
    case Metric::kRocAuc:
    case Metric::kAveragePrecision:
      return AsOneTask(metric, scores);
    case Metric::kMrr:
      return ReciprocalRank(scores);
    case Metric::kHits:
      return HitsOf(scores, metric.k());
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("metric ", NameOf(metric),
                       " does not measure links; allowed: ap, rocauc, mrr, "
                       "hits@K"));
  }
}

}  // namespace tributary
