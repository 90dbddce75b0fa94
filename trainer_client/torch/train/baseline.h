// Measures a baseline that trains nothing. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BASELINE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BASELINE_H_

#include "absl/status/statusor.h"
#include "trainer_client/torch/train/link_ranking.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Returns the filtered ranking of valid and test by RelationFrequency. Every
// rank must call it.
absl::StatusOr<TrainResult> MeasureRelationFrequency(
    const RankingLoaders& loaders, ProcessGroup& group,
    TrainObserver& observer);

// Sets the figures of the test split.
void SetTestRanks(const RankSummary& ranks, TrainResult* result);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BASELINE_H_
