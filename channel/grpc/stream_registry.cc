#include "channel/grpc/stream_registry.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status StreamRegistry::Add(GrpcStream* stream) {
  MutexLock lock(mutex_);
  if (closing_) return absl::UnavailableError("shutting down");
  if (streams_.size() >= max_streams_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", streams_.size(),
                     " streams, as many as max_streams allows"));
  }
  streams_[stream] = stream->weak_from_this();
  return absl::OkStatus();
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

void StreamRegistry::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (!streams_.empty()) empty_.Wait(mutex_);
}

}  // namespace tributary
