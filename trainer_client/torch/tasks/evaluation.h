// Measures predictions over all ranks. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/tasks/metric.h"

namespace tributary {

class ProcessGroup;

// The predictions of one rank: a row for each input, `columns` labels and
// predictions in each. Labels that are NaN are missing. A row of a link has the
// link and then its negatives, as LinkScores.
struct PredictionRows {
  size_t columns = 1;
  // Whether labels and predictions are class numbers, -1 for no label.
  bool classes = false;
  std::vector<uint64_t> input_numbers;  // [rows], in the list of inputs
  std::vector<float> labels;            // [rows, columns]
  std::vector<float> predictions;       // [rows, columns]
  // Rows whose label is of a class that the model does not have.
  int64_t other_classes = 0;
};

// Returns the metric over the rows of all ranks; the same bits for any number
// of ranks. Every rank must call it. kAccuracy requires `classes`. Errors are
// those of metrics.h and of ProcessGroup.
absl::StatusOr<double> MeasureOverRanks(Metric metric, PredictionRows rows,
                                        ProcessGroup& group);

// The same for links, as MeasureLinks(). `negatives` are the rows of a split of
// negatives, one score in each; empty if there is none.
absl::StatusOr<double> MeasureLinksOverRanks(Metric metric,
                                             const PredictionRows& links,
                                             const PredictionRows& negatives,
                                             ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_
