// Answers the calls of trainers for mutable rows.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_SERVICE_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_SERVICE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "channel/call_server.h"
#include "channel/caller.h"
#include "channel/message.h"
#include "common/runtime/mutex.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/access/caller_refusals.h"
#include "sampler_server/access/stream_job.h"
#include "sampler_server/streams/data_call.h"
#include "sampler_server/tensors/attempt.h"
#include "sampler_server/tensors/tensor_metrics.h"
#include "sampler_server/tensors/tensor_store.h"

namespace tributary {

// The attempts that one stream uses, so that they end when no stream does.
// Thread-safe.
class TensorStream {
 public:
  explicit TensorStream(std::shared_ptr<StreamJob> job)
      : job_(std::move(job)) {}

  // Of the whole stream, whichever calls it makes.
  StreamJob& job() { return *job_; }
  // Counts the stream as one of the attempt's, until Close; at once none if it
  // is closed already.
  void Use(TensorStore& store, Attempt& attempt);
  // The stream has closed.
  void Close();

 private:
  const std::shared_ptr<StreamJob> job_;
  Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Maps each attempt to its use, which keeps the attempt alive.
  std::map<const Attempt*, std::shared_ptr<const void>> uses_
      ABSL_GUARDED_BY(mutex_);
};

// Returns whether calls of this kind are for mutable rows.
bool IsTensorCall(MessageKind kind);

// The objects that all calls share; they outlive the calls.
struct TensorCalls {
  std::shared_ptr<TensorStore> store;
  TensorMetrics metrics;
  std::shared_ptr<CallerRefusals> refusals = std::make_shared<CallerRefusals>();
  // PERMISSION_DENIED if the caller may not read the graph with that content
  // digest for its job; OK if it is not served. Empty: all may.
  std::function<absl::Status(const Caller& caller, const std::string& job,
                             const std::string& digest)>
      may_read;
};

// Answers one call of a kind that IsTensorCall accepts: begins in this turn,
// with what is left of `slice`, and goes on in turns of the stream, also when
// the round or meeting that it waits for has come; see
// common/proto/tensors.proto. Everything in a request is checked before it is
// used. Errors beside those of the store: INVALID_ARGUMENT for requests that
// are malformed or whose reply would exceed max_reply_bytes, or that name
// another job than the stream's (PERMISSION_DENIED: than the certificate's; see
// StreamJob), so that nobody reaches an attempt of another job; OUT_OF_RANGE
// for rows beyond a tensor; DEADLINE_EXCEEDED, naming the ranks that are
// missing; RESOURCE_EXHAUSTED, to be tried again, when requests and replies
// hold the stream's share of memory.
void ServeTensorCall(const TensorCalls& calls,
                     std::shared_ptr<TensorStream> stream, DataCall data,
                     CallResponder respond, WorkSlice& slice);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_SERVICE_H_
