// The part that both ends of a gRPC stream share: a bounded queue of messages,
// of which one is being written, and an end that happens once.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_STREAM_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_STREAM_H_

#include <grpcpp/alarm.h>
#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/message.h"
#include "channel/network.h"
#include "channel/transport.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The state of one end, independent of gRPC's reactors: a subclass is the
// reactor of a client or a server and translates. The subclass keeps itself
// alive until gRPC is done with it. Thread-safe. Neither the handler nor gRPC
// is called with the lock held.
class GrpcStream : public std::enable_shared_from_this<GrpcStream> {
 public:
  // `other_end` names the other end in error messages.
  GrpcStream(std::string other_end, const ConnectionOptions& options)
      : other_end_(std::move(other_end)),
        options_(options),
        last_used_(SteadyClock().Now()) {}
  virtual ~GrpcStream() = default;

  // Returns the Stream that users hold; dropping it closes this end.
  std::shared_ptr<Stream> MakeHandle();

  // As Stream's methods.
  absl::Status Send(OutgoingMessage message);
  size_t queued_bytes() const;
  // Returns when gRPC last reported a message read or written, by SteadyClock;
  // at first, when the stream was made.
  absl::Time last_used() const;
  void Close(absl::Status why);
  // As Close, but sends the queued messages first, whatever `why` is.
  void CloseAfterQueue(absl::Status why);

 protected:
  // How far this end has closed, in this order.
  enum class Ending { kNone, kAfterQueue, kNow };

  // Calls gRPC's StartWrite. `buffer` does not change until WriteDone.
  virtual void StartWriteOf(const grpc::ByteBuffer* buffer) = 0;
  // Ends this side of the call. Called once, when StartWriteOf is not running
  // and will not be called again. `orderly`: all queued messages have been
  // written. gRPC must not be done with the call before this.
  virtual void End(const absl::Status& why, bool orderly) = 0;
  // Aborts the call at once. Called on any thread, any number of times.
  virtual void Abort() = 0;

  // The subclass calls these methods when gRPC reports the event.
  void WriteDone(bool ok);
  // Decodes `buffer`, passes the message to the handler and clears the buffer;
  // drops it if this end has closed. Returns false if this end wants to read no
  // more.
  bool ReadDone(grpc::ByteBuffer* buffer);
  // The other side has ended the call: nothing more can be read or written.
  void OtherEndGone(absl::Status why);
  // Calls OnClosed with the status passed to Close, or else with `why`.
  void Closed(const absl::Status& why);

  void set_handler(std::shared_ptr<StreamHandler> handler) {
    handler_ = std::move(handler);
  }
  const std::string& other_end() const { return other_end_; }

 private:
  void Write(OutgoingMessage message);
  void Begin(Ending how, absl::Status why, bool own);
  bool closed_here() const;
  bool ClaimEnd() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunEnd();
  void AbortLater() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string other_end_;
  const ConnectionOptions options_;
  std::shared_ptr<StreamHandler> handler_;  // used by gRPC's callbacks only
  grpc::ByteBuffer out_;                    // the message being written
  grpc::Alarm close_alarm_;

  mutable Mutex mutex_;
  absl::Time last_used_ ABSL_GUARDED_BY(mutex_);
  std::deque<OutgoingMessage> queue_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // with writing_bytes_
  size_t writing_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;  // until WriteDone
  // The number of calls of StartWriteOf that are decided on or running. It is 2
  // if the first write was done before its StartWriteOf had returned.
  int starting_ ABSL_GUARDED_BY(mutex_) = 0;
  Ending ending_ ABSL_GUARDED_BY(mutex_) = Ending::kNone;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;  // End was called or will be
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> own_why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_STREAM_H_
