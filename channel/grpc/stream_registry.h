// The open streams of one server or transport, which waits for them when it
// ends.
#ifndef TRIBUTARY_CHANNEL_GRPC_STREAM_REGISTRY_H_
#define TRIBUTARY_CHANNEL_GRPC_STREAM_REGISTRY_H_

#include <cstddef>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/grpc/grpc_stream.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Holds a stream from Add until gRPC is done with it and its OnClosed has
// returned; the references are weak. Thread-safe.
class StreamRegistry {
 public:
  // Registers the stream. Returns false after the first CloseAll: then the
  // caller must close the stream.
  bool Add(GrpcStream* stream);
  void Remove(GrpcStream* stream);
  size_t size() const;

  // Closes all streams: with `after_queue` after their queued messages, else at
  // once.
  void CloseAll(const absl::Status& why, bool after_queue);
  // Closes the streams on which nothing was sent or received for `timeout`,
  // with a PlannedEnd. Returns how many.
  size_t CloseIdle(absl::Duration timeout);
  // Returns when the last stream was removed. This ends, because gRPC ends
  // every call that was cancelled.
  void WaitUntilEmpty();

 private:
  mutable Mutex mutex_;
  CondVar empty_;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<GrpcStream*, std::weak_ptr<GrpcStream>> streams_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_STREAM_REGISTRY_H_
