// Gives the calls of many callers their turns.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_TURNS_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_TURNS_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/streams/turn_tree.h"

namespace tributary {

// Whose turns the steps of a call take.
struct TurnOwner {
  std::string job;     // of the stream; empty as long as none is named
  std::string caller;  // Caller::share_key
  uint64_t stream = 0;
};

struct CallTurnsOptions {
  JobWeights weights;
  // CPU time of the executor's threads; null: a step costs what its slice says.
  CpuMeter::Clock cpu_clock = nullptr;
  // How many steps of one caller run at once; at least 1. With one thread more,
  // a caller of whom nothing runs waits for nobody.
  size_t most_of_caller = std::numeric_limits<size_t>::max();
  // Told the cost of each step, on the thread that ran it; may be empty.
  std::function<void(const TurnOwner&, absl::Duration)> charge;
};

// A queue of steps in front of an executor. A call is one step or several, each
// of which takes a turn. Turns are shared by cost (TurnTree): listed jobs have
// their weights, as for batches, and all others together one more share; within
// a share callers are equal, whatever number of jobs they name; so are the jobs
// of a caller, and within a job its streams. The steps of one stream begin in
// the order of Post. So a call waits for little more than one step of each
// other caller, however many these have.
//
// The budget that calls are counted in bounds the queue. Create with
// std::make_shared; queued steps keep it alive. Thread-safe.
class CallTurns : public std::enable_shared_from_this<CallTurns> {
 public:
  using Step = TurnTree::Step;
  // What a step costs at least: its turn, and an answer.
  static constexpr uint64_t kLeastWork = 5'000;

  // `executor` outlives it.
  explicit CallTurns(Executor* executor, CallTurnsOptions options = {})
      : executor_(executor),
        options_(std::move(options)),
        tree_(options_.most_of_caller) {}

  // Returns a number that tells a stream from all others.
  uint64_t NewStream();
  // Runs `step` on the executor when its turn comes; with `first` before the
  // other steps of its stream.
  void Post(const TurnOwner& owner, Step step, bool first = false);

  absl::Time Now() const { return executor_->Now(); }
  // Returns the cost of all steps that have ended.
  absl::Duration spent() const;

 private:
  class Run;
  static constexpr int kRunsInARow = 10;

  std::optional<TurnTree::Turn> Next();
  void RunNext();
  bool RunOne();
  void DropNext();
  bool Settle(const TurnTree::Turn& turn, absl::Duration cost);
  TurnTree::Path PathOf(const TurnOwner& owner) const;

  Executor* const executor_;
  const CallTurnsOptions options_;
  mutable Mutex mutex_;
  uint64_t next_stream_ ABSL_GUARDED_BY(mutex_) = 1;
  TurnTree tree_ ABSL_GUARDED_BY(mutex_);
  // Runs that are owed to steps that may not run yet.
  size_t owed_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration spent_ ABSL_GUARDED_BY(mutex_);
};

// The turns of the calls of one stream. Its job may be named by its first call.
// Thread-safe.
class StreamTurns {
 public:
  // `job` returns the stream's job; empty as long as none is named.
  StreamTurns(std::shared_ptr<CallTurns> turns, std::string caller,
              std::function<std::string()> job)
      : turns_(std::move(turns)),
        caller_(std::move(caller)),
        number_(turns_->NewStream()),
        job_(std::move(job)) {}

  // A call has this many steps in a row before others of its stream have
  // theirs: short ones end one after the other, so that the network has the
  // first reply while the next one is made, and a long one holds up none.
  static constexpr int kStepsInARow = 10;

  // `steps` is how many the call has had.
  void Post(CallTurns::Step step, int steps = 0) const {
    const bool first = steps % kStepsInARow != 0;
    turns_->Post({job_(), caller_, number_}, std::move(step), first);
  }
  absl::Time Now() const { return turns_->Now(); }

 private:
  const std::shared_ptr<CallTurns> turns_;
  const std::string caller_;
  const uint64_t number_;
  const std::function<std::string()> job_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_TURNS_H_
