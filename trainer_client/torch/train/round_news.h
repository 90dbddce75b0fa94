// The news that the ranks of a run exchange once in each round. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_ROUND_NEWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_ROUND_NEWS_H_

#include "absl/status/statusor.h"

namespace tributary {

class ProcessGroup;

// The news of one rank, or of any.
struct RoundNews {
  bool not_finite = false;  // the loss or a gradient: nobody takes the step
  bool gives_up = false;    // no batch came before the end: likewise
  bool stops = false;       // was asked to end
  bool draining = false;    // a server that holds its rows wants to end
  bool due = false;         // it is time for a checkpoint; of rank 0 alone

  bool allows_step() const { return !not_finite && !gives_up; }
};

// Returns the news of all ranks together, the same on each: what one has said
// holds for all. Every rank must call it, in every round, so that no rank waits
// for another longer than for one batch. Errors of ProcessGroup.
absl::StatusOr<RoundNews> TellRanks(const RoundNews& own, ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_ROUND_NEWS_H_
