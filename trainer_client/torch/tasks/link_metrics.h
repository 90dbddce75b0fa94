// Metrics of link prediction over the links of a whole split.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_METRICS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_METRICS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/torch/tasks/metric.h"

namespace tributary {

// The scores of links and of their negatives, row-major: a row for each link,
// in InputOrder(). Must outlive this.
struct LinkScores {
  // Of a row: the link, then the negatives that were sampled for it.
  size_t columns = 1;
  // [links, columns]: 1 for a link, 0 for a negative; NaN: the link has fewer
  // negatives than others.
  absl::Span<const float> labels;
  absl::Span<const float> scores;     // [links, columns]
  absl::Span<const float> negatives;  // the scores of negatives of no link
};

// Returns the metric; the functions of metrics.h and ranking_metrics.h define
// them.
//
//   ap, rocauc  of all links and all negatives
//   hits@K      all links among all negatives
//   mrr         each link among its own negatives; `negatives` must be empty
//
// INVALID_ARGUMENT for another metric, sizes that disagree, or a score that is
// NaN; FAILED_PRECONDITION without links, or without the negatives that the
// metric needs.
absl::StatusOr<double> MeasureLinks(Metric metric, const LinkScores& scores);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_METRICS_H_
