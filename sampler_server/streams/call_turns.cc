#include "sampler_server/streams/call_turns.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr char kUnlisted[] = "*";
constexpr absl::Duration kLongStep = absl::Microseconds(50);

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

// As many runs are posted as there are steps, less those that are owed; which
// step a run serves is decided when it begins.
void CallTurns::Post(const TurnOwner& owner, Step step, bool first) {
  const double weight =
      std::max<double>(1, options_.weights.WeightOf(owner.job));
  {
    MutexLock lock(mutex_);
    const bool ready = tree_.ready();
    tree_.Push(PathOf(owner), weight, std::move(step), first);
    // Its caller may have no more now.
    if (!ready && !tree_.ready()) {
      ++owed_;
      return;
    }
  }
  executor_->Post(Run(shared_from_this()));
}

std::optional<TurnTree::Turn> CallTurns::Next() {
  MutexLock lock(mutex_);
  if (tree_.ready()) return tree_.Pop();
  ++owed_;
  return std::nullopt;
}

// Returns whether the caller has taken over an owed run: one step more may run
// than before.
bool CallTurns::Settle(const TurnTree::Turn& turn, absl::Duration cost) {
  MutexLock lock(mutex_);
  tree_.Settle(turn.path, turn.guess, absl::ToDoubleNanoseconds(cost));
  spent_ += cost;
  if (owed_ == 0 || !tree_.ready()) return false;
  --owed_;
  return true;
}

void CallTurns::DropNext() {
  auto turn = Next();
  if (!turn.has_value()) return;
  turn->step = nullptr;  // without the lock: it may own anything
  if (Settle(*turn, absl::ZeroDuration()))
    executor_->Post(Run(shared_from_this()));
}

// Runs what it owes afterwards itself, some steps in a row, so that no other
// thread has to wake for them.
void CallTurns::RunNext() {
  for (int steps = 0; RunOne(); ++steps) {
    if (steps < kRunsInARow) continue;
    executor_->Post(Run(shared_from_this()));
    return;
  }
}

bool CallTurns::RunOne() {
  auto turn = Next();
  if (!turn.has_value()) return false;
  WorkSlice slice;
  slice.Spend(kLeastWork);
  const CpuMeter::Clock clock = options_.cpu_clock;
  const absl::Duration from = clock == nullptr ? absl::ZeroDuration() : clock();
  turn->step(slice);
  turn->step = nullptr;
  const absl::Duration cost =
      clock == nullptr ? absl::Nanoseconds(slice.spent()) : clock() - from;
  if (options_.charge) {
    options_.charge({turn->path[2], turn->path[1]}, cost);
  }
  // Lets the threads go first that wait for a core, such as the network's: the
  // system's time slice is that of many steps.
  if (cost >= kLongStep) std::this_thread::yield();
  return Settle(*turn, cost);
}

absl::Duration CallTurns::spent() const {
  MutexLock lock(mutex_);
  return spent_;
}

}  // namespace tributary
