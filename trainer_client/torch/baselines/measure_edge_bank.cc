#include "trainer_client/torch/baselines/measure_edge_bank.h"

#include <array>
#include <optional>
#include <string_view>

#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/tasks/evaluation.h"
#include "trainer_client/torch/train/batch_rounds.h"

namespace tributary {
namespace {

// Returns this rank's rows.
absl::StatusOr<PredictionRows> PredictSplit(const EdgeBank& edge_bank,
                                            DistLoader* loader,
                                            std::string_view phase,
                                            ProcessGroup& group,
                                            TrainObserver& observer) {
  RETURN_IF_ERROR(loader->StartEpoch(0));
  PredictionRows rows;
  BatchRounds rounds(loader, group.rank(), group.world());
  for (uint64_t round = 0; round < rounds.count(); ++round) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> lease,
                     rounds.Batch(round));
    if (lease) {
      ASSIGN_OR_RETURN(const HeteroBatch batch,
                       ToTypedBatch(lease->view(), loader->schema()));
      RETURN_IF_ERROR(edge_bank.Predict(batch, &rows));
    }
    // Ranks must not drift apart: the others wait only so long.
    std::array<double, 1> done{1};
    RETURN_IF_ERROR(group.Sum(absl::MakeSpan(done)));
    observer.OnRound(phase, 0, round + 1, rounds.count());
  }
  return rows;
}

absl::StatusOr<std::optional<double>> MeasureSplit(
    const EdgeBank& edge_bank, Metric metric, DistLoader* loader,
    std::string_view phase, ProcessGroup& group, TrainObserver& observer) {
  if (loader == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(const PredictionRows rows,
                   PredictSplit(edge_bank, loader, phase, group, observer));
  ASSIGN_OR_RETURN(const double value,
                   MeasureLinksOverRanks(metric, rows, {}, group));
  return value;
}

}  // namespace

absl::StatusOr<TrainResult> MeasureEdgeBank(const EdgeBank& edge_bank,
                                            Metric metric,
                                            const TrainLoaders& loaders,
                                            ProcessGroup& group,
                                            TrainObserver& observer) {
  const absl::Time start = SteadyClock().Now();
  TrainResult result{.metric = NameOf(metric)};
  ASSIGN_OR_RETURN(
      result.best_valid,
      MeasureSplit(edge_bank, metric, loaders.valid, "valid", group, observer));
  ASSIGN_OR_RETURN(result.test, MeasureSplit(edge_bank, metric, loaders.test,
                                             "test", group, observer));
  result.seconds = absl::ToDoubleSeconds(SteadyClock().Now() - start);
  return result;
}

}  // namespace tributary
