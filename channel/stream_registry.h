// The open streams of one server or transport, which waits for them when it
// ends.
#ifndef TRIBUTARY_CHANNEL_STREAM_REGISTRY_H_
#define TRIBUTARY_CHANNEL_STREAM_REGISTRY_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "channel/planned_end.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Holds a stream from Add until its transport is done with it and its OnClosed
// has returned; the references are weak. `End` is the transport's end of a
// stream: it has Close, CloseAfterQueue (which sends what is queued first,
// whatever the status is), last_used and, as it is held by shared_ptr,
// weak_from_this. Thread-safe.
template <typename End>
class StreamRegistry {
 public:
  // Registers the stream. Returns false after the first CloseAll: then the
  // caller must close the stream.
  bool Add(End* stream) {
    MutexLock lock(mutex_);
    streams_[stream] = stream->weak_from_this();
    return !closing_;
  }
  void Remove(End* stream) {
    MutexLock lock(mutex_);
    streams_.erase(stream);
    if (streams_.empty()) empty_.NotifyAll();
  }
  size_t size() const {
    MutexLock lock(mutex_);
    return streams_.size();
  }
  std::vector<std::shared_ptr<End>> streams() const {
    std::vector<std::shared_ptr<End>> open;
    MutexLock lock(mutex_);
    open.reserve(streams_.size());
    for (const auto& [key, weak] : streams_) {
      if (auto stream = weak.lock()) open.push_back(std::move(stream));
    }
    return open;
  }

  // Closes all streams: with `after_queue` after their queued messages, else at
  // once.
  void CloseAll(const absl::Status& why, bool after_queue) {
    {
      MutexLock lock(mutex_);
      closing_ = true;
    }
    for (const auto& stream : streams()) {
      after_queue ? stream->CloseAfterQueue(why) : stream->Close(why);
    }
  }
  // Closes the streams on which nothing was sent or received for `timeout`,
  // with a PlannedEnd. Returns how many.
  size_t CloseIdle(absl::Duration timeout) {
    const absl::Time before = SteadyClock().Now() - timeout;
    size_t closed = 0;
    for (const auto& stream : streams()) {
      if (stream->last_used() >= before) continue;
      ++closed;
      stream->Close(PlannedEnd(absl::StrCat("nothing was sent for ",
                                            absl::FormatDuration(timeout))));
    }
    return closed;
  }
  // Returns when the last stream was removed.
  void WaitUntilEmpty() {
    MutexLock lock(mutex_);
    while (!streams_.empty()) empty_.Wait(mutex_);
  }
  // The same, but for at most `most`; returns whether it is empty.
  bool WaitUntilEmpty(absl::Duration most) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(most);
    MutexLock lock(mutex_);
    while (!streams_.empty()) {
      if (!empty_.WaitUntil(mutex_, deadline)) break;
    }
    return streams_.empty();
  }

 private:
  mutable Mutex mutex_;
  CondVar empty_;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<End*, std::weak_ptr<End>> streams_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_STREAM_REGISTRY_H_
