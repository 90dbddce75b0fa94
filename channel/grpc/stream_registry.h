// The streams of one server or transport, so that its end can wait for theirs.
#ifndef TRIBUTARY_CHANNEL_GRPC_STREAM_REGISTRY_H_
#define TRIBUTARY_CHANNEL_GRPC_STREAM_REGISTRY_H_

#include <cstddef>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "channel/grpc/grpc_stream.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Thread-safe. A stream is here until gRPC is done with it and its OnClosed has
// returned.
class StreamRegistry {
 public:
  // False after the first CloseAll: the caller is to close the stream.
  bool Add(GrpcStream* stream);
  void Remove(GrpcStream* stream);
  size_t size() const;

  // Closes all, after what they have queued or at once.
  void CloseAll(const absl::Status& why, bool after_queue);
  // Returns at the last Remove. gRPC brings every call that was cancelled to
  // its end, so this ends as well.
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
