// Measures RelationFrequency by the evaluation of models. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_RELATION_FREQUENCY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_RELATION_FREQUENCY_H_

#include "absl/status/statusor.h"
#include "trainer_client/torch/train/link_ranking.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Returns the filtered ranking of valid and test by RelationFrequency. Every
// rank must call it. FAILED_PRECONDITION when ranks have different graphs.
absl::StatusOr<TrainResult> MeasureRelationFrequency(
    const RankingLoaders& loaders, ProcessGroup& group,
    TrainObserver& observer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_MEASURE_RELATION_FREQUENCY_H_
