// Gives the calls of many callers their turns.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAMS_CALL_TURNS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAMS_CALL_TURNS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A queue of calls in front of an executor. Callers take turns (Nagle: "On
// packet switches with infinite storage", RFC 970), and the streams of a caller
// within its turns; the calls of one stream keep their order. So a call waits
// for at most one call of each other caller before it, however many these have.
// The budget that calls are counted in bounds the queue. Create with
// std::make_shared; queued calls keep it alive. Thread-safe.
class CallTurns : public std::enable_shared_from_this<CallTurns> {
 public:
  // Returns a number that tells a stream from all others.
  uint64_t NewStream();
  // Runs `call` on `executor` when its turn comes.
  void Post(Executor* executor, const std::string& caller, uint64_t stream,
            Task call);

 private:
  struct CallerQueue {
    std::map<uint64_t, std::deque<Task>> streams;
    uint64_t last = 0;  // the stream served last
  };

  class Turn;
  // Takes the call whose turn it is out of the queue.
  Task Next();

  Mutex mutex_;
  uint64_t next_stream_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<std::string, CallerQueue> callers_ ABSL_GUARDED_BY(mutex_);
  std::string last_ ABSL_GUARDED_BY(mutex_);  // the caller served last
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAMS_CALL_TURNS_H_
