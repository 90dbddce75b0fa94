#include "sampler_server/service/streams/call_turns.h"

#include <utility>

namespace tributary {
namespace {

// Returns the first entry behind `last`, or else the first. Requires one.
template <typename Map>
typename Map::iterator After(Map& map, const typename Map::key_type& last) {
  const auto it = map.upper_bound(last);
  return it == map.end() ? map.begin() : it;
}

}  // namespace

// Runs one call. If the executor drops it, a call is dropped too, so that calls
// and the queue do not keep each other alive.
class CallTurns::Turn {
 public:
  explicit Turn(std::shared_ptr<CallTurns> turns) : turns_(std::move(turns)) {}
  Turn(Turn&&) = default;
  ~Turn() {
    if (turns_ != nullptr) turns_->Next();
  }
  void operator()() { std::exchange(turns_, nullptr)->Next()(); }

 private:
  std::shared_ptr<CallTurns> turns_;
};

uint64_t CallTurns::NewStream() {
  MutexLock lock(mutex_);
  return next_stream_++;
}

// As many runs are posted as there are calls; which call a run serves is
// decided when it begins.
void CallTurns::Post(Executor* executor, const std::string& caller,
                     uint64_t stream, Task call) {
  {
    MutexLock lock(mutex_);
    callers_[caller].streams[stream].push_back(std::move(call));
  }
  executor->Post(Turn(shared_from_this()));
}

Task CallTurns::Next() {
  MutexLock lock(mutex_);
  const auto caller = After(callers_, last_);
  CallerQueue& queue = caller->second;
  const auto stream = After(queue.streams, queue.last);
  Task call = std::move(stream->second.front());
  stream->second.pop_front();
  last_ = caller->first;
  queue.last = stream->first;
  if (stream->second.empty()) queue.streams.erase(stream);
  if (queue.streams.empty()) callers_.erase(caller);
  return call;
}

}  // namespace tributary
