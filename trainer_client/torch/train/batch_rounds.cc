#include "trainer_client/torch/train/batch_rounds.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

uint64_t BatchRounds::Inputs(uint64_t round) const {
  uint64_t inputs = 0;
  for (uint64_t r = 0; r < world_; ++r) {
    inputs += loader_->inputs_in_batch(FirstOf(round) + r);
  }
  return inputs;
}

StepRounds BatchRounds::StepOf(uint64_t round, uint64_t accumulate) const {
  const uint64_t first = round - round % accumulate;
  return {.first = first, .end = first + std::min(accumulate, count() - first)};
}

uint64_t BatchRounds::Inputs(const StepRounds& step) const {
  uint64_t inputs = 0;
  for (uint64_t round = step.first; round < step.end; ++round) {
    inputs += Inputs(round);
  }
  return inputs;
}

absl::StatusOr<std::optional<BatchLease>> BatchRounds::Batch(uint64_t round) {
  const uint64_t index = FirstOf(round) + rank_;
  if (index >= loader_->end_index()) return std::nullopt;
  absl::StatusOr<std::optional<BatchLease>> next = loader_->Next();
  if (absl::IsCancelled(next.status()) && stop_requested_ &&
      stop_requested_()) {
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(std::optional<BatchLease> lease, std::move(next));
  if (!lease || lease->index() != index) {
    return absl::InternalError(absl::StrCat(
        "the loader gave ",
        lease ? absl::StrCat("batch ", lease->index()) : "the epoch's end",
        " where batch ", index, " was due"));
  }
  return lease;
}

}  // namespace tributary
