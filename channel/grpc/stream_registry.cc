#include "channel/grpc/stream_registry.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/planned_end.h"
#include "common/runtime/clock.h"

namespace tributary {

bool StreamRegistry::Add(GrpcStream* stream) {
  MutexLock lock(mutex_);
  streams_[stream] = stream->weak_from_this();
  return !closing_;
}

void StreamRegistry::Remove(GrpcStream* stream) {
  MutexLock lock(mutex_);
  streams_.erase(stream);
  if (streams_.empty()) empty_.NotifyAll();
}

size_t StreamRegistry::size() const {
  MutexLock lock(mutex_);
  return streams_.size();
}

void StreamRegistry::CloseAll(const absl::Status& why, bool after_queue) {
  std::map<GrpcStream*, std::weak_ptr<GrpcStream>> streams;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    streams = streams_;
  }
  for (const auto& [key, weak] : streams) {
    const auto stream = weak.lock();
    if (stream == nullptr) continue;
    after_queue ? stream->CloseAfterQueue(why) : stream->Close(why);
  }
}

size_t StreamRegistry::CloseIdle(absl::Duration timeout) {
  const absl::Time before = SteadyClock().Now() - timeout;
  std::vector<std::shared_ptr<GrpcStream>> idle;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, weak] : streams_) {
      auto stream = weak.lock();
      if (stream != nullptr && stream->last_used() < before) {
        idle.push_back(std::move(stream));
      }
    }
  }
  for (const auto& stream : idle) {
    stream->Close(PlannedEnd(
        absl::StrCat("nothing was sent for ", absl::FormatDuration(timeout))));
  }
  return idle.size();
}

void StreamRegistry::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (!streams_.empty()) empty_.Wait(mutex_);
}

}  // namespace tributary
