// The open streams of a service, so that those that stop reading are closed.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_OPEN_STREAMS_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_OPEN_STREAMS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/observe/metrics.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/streams/unread_stream.h"

namespace tributary {

// Why the server closed streams, by kind of stream. Thread-safe.
struct StreamEndMetrics {
  StreamEndMetrics() = default;
  explicit StreamEndMetrics(Metrics& metrics);

  // By StreamMethod.
  Counter held_up[4];     // took nothing while others were refused
  Counter overflowed[4];  // no room for one more small answer
  Counter flooded;        // batch streams: messages that were not waited for
};

// Counts what is sent over each stream and not taken (UnreadStream), and holds
// to one rule, as ReaderStall does for batches: a stream that has taken nothing
// for kPatience though answers wait is closed, with RESOURCE_EXHAUSTED, once
// another one, or itself, is refused room in the budget that those answers
// hold. That frees them; the client connects again once it reads. Nobody is
// closed while there is room for all.
//
// Create with std::make_shared. Thread-safe.
class OpenStreams : public std::enable_shared_from_this<OpenStreams> {
 public:
  static constexpr absl::Duration kPatience = absl::Seconds(2);
  // Streams are looked through at most so often for each budget.
  static constexpr absl::Duration kLookEvery = absl::Milliseconds(100);

  // `answers` counts the small messages of all streams.
  explicit OpenStreams(std::shared_ptr<SharedBudget> answers)
      : answers_(std::move(answers)) {}

  // Sets where streams are closed, and what counts them, and watches
  // answers(). Call it before the first stream; the executor outlives all
  // streams.
  void SetUp(Executor* executor, StreamEndMetrics metrics);

  // Returns `stream`, counted. `replies` is its share of the budget of its
  // method's answers, null if they have none.
  std::shared_ptr<UnreadStream> Open(
      StreamMethod method, const Caller& caller, std::shared_ptr<Stream> stream,
      std::shared_ptr<BudgetShare> replies = nullptr);

  // Holds to the rule for `budget`. Call it before the first stream.
  void Watch(const std::shared_ptr<SharedBudget>& budget);

  const std::shared_ptr<SharedBudget>& answers() const { return answers_; }
  StreamEndMetrics& metrics() { return metrics_; }

 private:
  struct OpenStream {
    std::weak_ptr<UnreadStream> stream;
    StreamMethod method;
    std::string caller;
  };

  // Room in `budget` was refused: soon, on the executor, closes the streams
  // that hold something of it and take nothing.
  void OnRefused(const std::shared_ptr<SharedBudget>& budget);
  void CloseStalled(const SharedBudget& budget);

  const std::shared_ptr<SharedBudget> answers_;
  Executor* executor_ = nullptr;
  StreamEndMetrics metrics_;
  Mutex mutex_;
  std::vector<OpenStream> open_ ABSL_GUARDED_BY(mutex_);
  size_t sweep_at_ ABSL_GUARDED_BY(mutex_) = 64;  // size of open_
  std::map<const SharedBudget*, absl::Time> looked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_OPEN_STREAMS_H_
