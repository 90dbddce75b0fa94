// What the two ends of a gRPC stream have in common: a bounded queue of
// messages with one write under way, and an end that comes once.
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
#include "channel/grpc/grpc_connection_options.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Knows nothing of reactors; its subclass, which is one, translates. The
// subclass keeps itself alive until gRPC is done with it. Thread-safe. Neither
// the handler nor gRPC is called with the lock held.
class GrpcStream : public std::enable_shared_from_this<GrpcStream> {
 public:
  // `other_end` names the other end in messages.
  GrpcStream(std::string other_end, const GrpcConnectionOptions& options)
      : other_end_(std::move(other_end)), options_(options) {}
  virtual ~GrpcStream() = default;

  // The Stream that users hold; dropping it closes.
  std::shared_ptr<Stream> MakeHandle();

  absl::Status Send(OutgoingMessage message);
  size_t queued_bytes() const;
  void Close(absl::Status why);
  // As Close, but what waits is sent whatever `why` is.
  void CloseAfterQueue(absl::Status why);

 protected:
  // How far the end of the stream has come, in this order.
  enum class Ending { kNone, kAfterQueue, kNow };

  // gRPC's StartWrite; `buffer` stays as it is until WriteDone.
  virtual void StartWriteOf(const grpc::ByteBuffer* buffer) = 0;
  // Ends this side of the call: called once; StartWriteOf is not running and
  // will not be called again. `orderly`: all that was queued has been written.
  // gRPC must not be done with the call before this.
  virtual void End(const absl::Status& why, bool orderly) = 0;
  // Ends the call at once by force; any thread, any number of times.
  virtual void Abort() = 0;

  // To be called by the subclass as gRPC reports it.
  void WriteDone(bool ok);
  // Decodes `buffer` for the handler and clears it; drops it when this end has
  // closed. False when this end wants no more.
  bool ReadDone(grpc::ByteBuffer* buffer);
  // The call is over on the other side: nothing more will be read or written.
  void OtherEndGone(absl::Status why);
  // Calls OnClosed: with what Close was told, else with `why`.
  void Closed(const absl::Status& why);

  void set_handler(std::shared_ptr<StreamHandler> handler) {
    handler_ = std::move(handler);
  }
  const std::string& other_end() const { return other_end_; }

 private:
  void Write(OutgoingMessage message);
  void Begin(Ending how, absl::Status why, bool own);
  bool closed_here() const;
  bool TakeTheEnd() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunEnd();
  void AbortLater() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string other_end_;
  const GrpcConnectionOptions options_;
  std::shared_ptr<StreamHandler> handler_;  // of gRPC's callbacks
  grpc::ByteBuffer out_;                    // of the write under way
  grpc::Alarm close_alarm_;

  mutable Mutex mutex_;
  std::deque<OutgoingMessage> queue_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // with the one under way
  size_t writing_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;  // until WriteDone
  // Calls of StartWriteOf that are to come or under way. Two, when the first
  // write was done before its StartWriteOf had returned.
  int starting_ ABSL_GUARDED_BY(mutex_) = 0;
  Ending ending_ ABSL_GUARDED_BY(mutex_) = Ending::kNone;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;  // End has been or is called
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> own_why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_STREAM_H_
