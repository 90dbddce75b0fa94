#include "channel/grpc/stream_registry.h"

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

void StreamRegistry::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (!streams_.empty()) empty_.Wait(mutex_);
}

}  // namespace tributary
