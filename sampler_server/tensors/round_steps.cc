// Compiled with -ffp-contract=off, as sparse_optimizer.cc.
#include "sampler_server/tensors/round_steps.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tributary {
namespace {

// How many gradients ahead of a step their rows are brought to the cache.
constexpr size_t kAhead = 8;
// The work (WorkSlice) of taking up a push, of a gradient, of a row's step and
// of each of its values, and of giving memory back.
constexpr uint64_t kCollect = 100;
constexpr uint64_t kMerge = 20;
constexpr uint64_t kStepRow = 50;
constexpr uint64_t kStepValue = 3;
constexpr uint64_t kRelease = 500;
constexpr uint64_t kBytesReleased = 64;  // with one unit of work

}  // namespace

RoundSteps::RoundSteps(std::vector<RoundPart> parts, uint32_t round)
    : parts_(std::move(parts)), round_(round) {}

bool RoundSteps::Step(WorkSlice& slice) {
  while (!slice.used_up()) {
    const bool more = CollectPush(slice) || AddToHeap(slice) ||
                      SumOrStep(slice) || ReleasePart(slice);
    if (!more) return true;
  }
  return false;
}

// Notes a push for its table.
bool RoundSteps::CollectPush(WorkSlice& slice) {
  if (part_ >= parts_.size()) return false;
  slice.Spend(kCollect);
  const RoundPart& part = parts_[part_];
  if (push_ == part.pushes.size()) {
    ++part_;
    push_ = 0;
    return true;
  }
  const StagedPush& push = part.pushes[push_];
  if (!push.rows.empty()) {
    tables_[push.table.get()].push_back(
        {push.rows[0], {push.place, part.rank, part.part, push_}, &push, 0});
  }
  ++push_;
  return true;
}

void RoundSteps::BeginTable() {
  auto first = tables_.begin();
  table_ = first->first;
  pushes_ = std::move(first->second);
  tables_.erase(first);
  heaped_ = 0;
  step_ = pushes_.front().push->step;  // equal in all
  sum_.assign(table_->shape().width(), 0);
  initial_.assign(
      table_->initial().all_zeros() ? 0 : table_->shape().row_bytes(), 0);
}

bool RoundSteps::AddToHeap(WorkSlice& slice) {
  if (table_ == nullptr && !tables_.empty()) BeginTable();
  if (heaped_ == pushes_.size()) return false;
  slice.Spend(kCollect);
  ++heaped_;
  std::push_heap(pushes_.begin(),
                 pushes_.begin() + static_cast<std::ptrdiff_t>(heaped_), After);
  return true;
}

// Adds the next gradient of the row, or steps the row if there is none.
bool RoundSteps::SumOrStep(WorkSlice& slice) {
  if (table_ == nullptr) return false;
  const bool more_of_row =
      !pushes_.empty() && (!summing_ || pushes_.front().row == row_);
  if (more_of_row) {
    AddGradient(slice);
  } else if (summing_) {
    StepRow(slice);
  } else {
    table_ = nullptr;
  }
  return true;
}

void RoundSteps::AddGradient(WorkSlice& slice) {
  const size_t bytes = sum_.size() * sizeof(float);
  const Next& next = pushes_.front();
  const uint8_t* const gradient = next.push->gradients + next.at * bytes;
  if (!summing_) {
    std::memcpy(sum_.data(), gradient, bytes);
  } else {
    for (size_t i = 0; i < sum_.size(); ++i) {
      float value;
      std::memcpy(&value, gradient + i * sizeof(float), sizeof(float));
      sum_[i] = sum_[i] + value;
    }
  }
  row_ = next.row;
  summing_ = true;
  slice.Spend(kMerge + sum_.size());
  Advance();
}

// Goes on to the next row of the push on top.
void RoundSteps::Advance() {
  Next& next = pushes_.front();
  const auto& rows = next.push->rows;
  if (++next.at < rows.size()) {
    next.row = rows[next.at];
    const size_t ahead = next.at + kAhead;
    if (ahead < rows.size()) table_->PrefetchStep(rows[ahead]);
  } else {
    next = pushes_.back();
    pushes_.pop_back();
    heaped_ = pushes_.size();
  }
  SiftDown();
}

// Moves the top of the heap to its place.
void RoundSteps::SiftDown() {
  size_t at = 0;
  for (size_t child = 1; child < pushes_.size(); child = 2 * at + 1) {
    if (child + 1 < pushes_.size() &&
        After(pushes_[child], pushes_[child + 1])) {
      ++child;
    }
    if (!After(pushes_[at], pushes_[child])) return;
    std::swap(pushes_[at], pushes_[child]);
    at = child;
  }
}

void RoundSteps::StepRow(WorkSlice& slice) {
  if (!has_initial_ && table_->HoldsInitial(row_)) {
    has_initial_ = fill_.Step(*table_, row_, initial_.data(), slice);
    return;
  }
  table_->Step(row_, sum_.data(), step_, round_,
               has_initial_ ? initial_.data() : nullptr);
  slice.Spend(kStepRow + kStepValue * sum_.size());
  summing_ = has_initial_ = false;
}

// Gives a part's memory back.
bool RoundSteps::ReleasePart(WorkSlice& slice) {
  if (parts_.empty()) return false;
  slice.Spend(kRelease + parts_.back().bytes / kBytesReleased);
  parts_.pop_back();
  return true;
}

}  // namespace tributary
