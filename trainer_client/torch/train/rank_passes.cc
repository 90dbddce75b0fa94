#include "trainer_client/torch/train/rank_passes.h"

#include "common/text/status.h"
#include "trainer_client/torch/train/round_news.h"

namespace tributary {

absl::Status RankPasses::Meet() {
  ASSIGN_OR_RETURN(const RoundNews all,
                   TellRanks({.stops = stop_requested()}, group_));
  return all.stops ? stop_() : absl::OkStatus();
}

absl::Status RankPasses::Begin(const absl::Status& begun) {
  if (!absl::IsCancelled(begun) || !stop_requested()) RETURN_IF_ERROR(begun);
  return Meet();
}

absl::Status RankPasses::ForEachRound(DistLoader* loader,
                                      std::string_view phase, uint64_t epoch,
                                      Round take, StepTimer* timer,
                                      std::optional<BatchLease>* ahead) {
  BatchRounds rounds = RoundsOf(loader);
  std::optional<BatchLease> lease;
  if (ahead != nullptr) ahead->reset();
  for (uint64_t round = 0; round < rounds.count(); ++round) {
    if (timer != nullptr) timer->Begin();
    if (ahead == nullptr || round == 0) {
      ASSIGN_OR_RETURN(lease, rounds.Batch(round));
    } else {
      lease = std::exchange(*ahead, std::nullopt);
    }
    if (ahead != nullptr && round + 1 < rounds.count()) {
      ASSIGN_OR_RETURN(*ahead, rounds.Batch(round + 1));
    }
    if (timer != nullptr) timer->Lap(StepPhase::kWait);
    RETURN_IF_ERROR(take(round, lease ? &*lease : nullptr));
    lease.reset();
    observer_.OnRound(phase, epoch, round + 1, rounds.count());
  }
  return absl::OkStatus();
}

}  // namespace tributary
