#include "sampler_server/streams/call_turns.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr char kUnlisted[] = "*";

}  // namespace

// Runs one step. If the executor drops it, a step is dropped too, so that steps
// and the queue do not keep each other alive.
class CallTurns::Run {
 public:
  explicit Run(std::shared_ptr<CallTurns> turns) : turns_(std::move(turns)) {}
  Run(Run&&) = default;
  ~Run() {
    if (turns_ != nullptr) turns_->DropNext();
  }
  void operator()() { std::exchange(turns_, nullptr)->RunNext(); }

 private:
  std::shared_ptr<CallTurns> turns_;
};

uint64_t CallTurns::NewStream() {
  MutexLock lock(mutex_);
  return next_stream_++;
}

TurnTree::Path CallTurns::PathOf(const TurnOwner& owner) const {
  return {options_.weights.Lists(owner.job) ? owner.job : kUnlisted,
          owner.caller, owner.job, absl::StrCat(owner.stream)};
}

// As many runs are posted as there are steps; which step a run serves is
// decided when it begins.
void CallTurns::Post(const TurnOwner& owner, Step step, bool first) {
  const double weight =
      std::max<double>(1, options_.weights.WeightOf(owner.job));
  {
    MutexLock lock(mutex_);
    tree_.Push(PathOf(owner), weight, std::move(step), first);
  }
  executor_->Post(Run(shared_from_this()));
}

TurnTree::Turn CallTurns::Next() {
  MutexLock lock(mutex_);
  return tree_.Pop();
}

void CallTurns::Settle(const TurnTree::Turn& turn, absl::Duration cost) {
  MutexLock lock(mutex_);
  tree_.Settle(turn.path, turn.guess, absl::ToDoubleNanoseconds(cost));
  spent_ += cost;
}

void CallTurns::DropNext() {
  TurnTree::Turn turn = Next();
  turn.step = nullptr;  // without the lock: it may own anything
  Settle(turn, absl::ZeroDuration());
}

void CallTurns::RunNext() {
  TurnTree::Turn turn = Next();
  WorkSlice slice;
  slice.Spend(kLeastWork);
  const CpuMeter::Clock clock = options_.cpu_clock;
  const absl::Duration from = clock == nullptr ? absl::ZeroDuration() : clock();
  turn.step(slice);
  turn.step = nullptr;
  const absl::Duration cost =
      clock == nullptr ? absl::Nanoseconds(slice.spent()) : clock() - from;
  if (options_.charge) {
    options_.charge({turn.path[2], turn.path[1]}, cost);
  }
  Settle(turn, cost);
}

absl::Duration CallTurns::spent() const {
  MutexLock lock(mutex_);
  return spent_;
}

}  // namespace tributary
