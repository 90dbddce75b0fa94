// Measures EdgeBank on the splits of links. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_EDGE_BANK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_EDGE_BANK_H_

#include "absl/status/statusor.h"
#include "trainer_client/torch/baselines/edge_bank.h"
#include "trainer_client/torch/tasks/metric.h"
#include "trainer_client/torch/train/train_report.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {

class ProcessGroup;

// Returns the metric on valid and test, where there are loaders of them, over
// the links of all ranks and the negatives that a model is measured on: those
// of epoch 0. Every rank must call it. Errors are those of the loaders,
// EdgeBank::Predict() and MeasureLinksOverRanks().
absl::StatusOr<TrainResult> MeasureEdgeBank(const EdgeBank& edge_bank,
                                            Metric metric,
                                            const TrainLoaders& loaders,
                                            ProcessGroup& group,
                                            TrainObserver& observer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_EDGE_BANK_H_
