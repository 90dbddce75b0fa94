#include "trainer_client/torch/baselines/measure_relation_frequency.h"

#include <memory>

#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/baselines/relation_frequency.h"
#include "trainer_client/torch/tasks/metric.h"
#include "trainer_client/torch/train/same_graph.h"

namespace tributary {

absl::StatusOr<TrainResult> MeasureRelationFrequency(
    const RankingLoaders& loaders, ProcessGroup& group,
    TrainObserver& observer) {
  using Split = LinkRanking::Split;
  const absl::Time start = SteadyClock().Now();
  const auto progress = [&](std::string_view phase) {
    return [&observer, phase](uint64_t done, uint64_t total) {
      observer.OnRound(phase, 0, done, total);
      return absl::OkStatus();
    };
  };
  RETURN_IF_ERROR(CheckSameGraph(loaders.train->schema(), group));
  ASSIGN_OR_RETURN(const std::unique_ptr<LinkRanking> ranking,
                   LinkRanking::Read(loaders, progress("links")));
  RelationFrequency scorer(ranking->LinksOf(Split::kTrain));
  TrainResult result{.metric = NameOf(Metric::kFilteredMrr)};
  if (ranking->has(Split::kValid)) {
    ASSIGN_OR_RETURN(
        const RankSummary valid,
        ranking->Rank(Split::kValid, scorer, group, progress("valid")));
    result.best_valid = valid.mrr;
  }
  if (ranking->has(Split::kTest)) {
    ASSIGN_OR_RETURN(
        const RankSummary test,
        ranking->Rank(Split::kTest, scorer, group, progress("test")));
    SetTestRanks(test, &result);
  }
  result.seconds = absl::ToDoubleSeconds(SteadyClock().Now() - start);
  return result;
}

}  // namespace tributary
