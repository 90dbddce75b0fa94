#include "channel/grpc/grpc_stream.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/grpc/byte_buffer_codec.h"
#include "channel/stream_handle.h"

namespace tributary {
std::shared_ptr<Stream> GrpcStream::MakeHandle() {
  return std::make_shared<StreamHandle<GrpcStream>>(shared_from_this());
}

absl::Status GrpcStream::Send(OutgoingMessage message) {
  const size_t bytes = EnvelopeBytes(message);
  absl::Status broken = CheckEnvelopeLimits(message);
  {
    MutexLock lock(mutex_);
    if (ending_ != Ending::kNone) {
      return absl::UnavailableError(
          absl::StrCat(other_end_, ": the stream has closed"));
    }
    if (queued_bytes_ + bytes > options_.max_queued_bytes && broken.ok()) {
      broken = absl::ResourceExhaustedError(absl::StrCat(
          other_end_, ": ", queued_bytes_, " bytes wait on the stream, ", bytes,
          " more are over max_queued_bytes=", options_.max_queued_bytes));
    }
    if (broken.ok()) {
      queued_bytes_ += bytes;
      if (writing_) {
        queue_.push_back(std::move(message));
        return absl::OkStatus();
      }
      writing_ = true;
      ++starting_;
      writing_bytes_ = bytes;
    }
  }
  if (!broken.ok()) {
    Begin(Ending::kNow, broken, /*own=*/true);
    return broken;
  }
  Write(std::move(message));
  return absl::OkStatus();
}

// Requires that the caller has set writing_, so that it alone writes, and has
// counted itself in starting_.
void GrpcStream::Write(OutgoingMessage message) {
  out_ = EncodeToByteBuffer(std::move(message));
  StartWriteOf(&out_);
  {
    MutexLock lock(mutex_);
    --starting_;
    if (!ClaimEnd()) return;
  }
  RunEnd();
}

void GrpcStream::WriteDone(bool ok) {
  out_.Clear();
  if (!ok) OtherEndGone(absl::UnavailableError("the stream broke"));
  OutgoingMessage next;
  bool more = false;
  {
    MutexLock lock(mutex_);
    last_used_ = SteadyClock().Now();
    queued_bytes_ -= std::exchange(writing_bytes_, 0);
    more = writing_ = !queue_.empty();
    if (more) {
      next = std::move(queue_.front());
      queue_.pop_front();
      writing_bytes_ = EnvelopeBytes(next);
      ++starting_;
    } else if (!ClaimEnd()) {
      return;
    }
  }
  more ? Write(std::move(next)) : RunEnd();
}

bool GrpcStream::ReadDone(grpc::ByteBuffer* buffer) {
  {
    MutexLock lock(mutex_);
    last_used_ = SteadyClock().Now();
  }
  if (!closed_here()) {
    auto received = ReceivedMessage::Decode(*buffer);
    if (received.ok()) {
      handler_->OnMessage(received->message());
    } else {
      const absl::Status& why = received.status();
      Begin(Ending::kNow,
            absl::Status(why.code(),
                         absl::StrCat(other_end_, ": ", why.message())),
            /*own=*/true);
    }
  }
  buffer->Clear();
  return !closed_here();
}

bool GrpcStream::closed_here() const {
  MutexLock lock(mutex_);
  return own_why_.has_value();
}

void GrpcStream::Close(absl::Status why) {
  const Ending how = why.ok() ? Ending::kAfterQueue : Ending::kNow;
  Begin(how, std::move(why), /*own=*/true);
}

void GrpcStream::CloseAfterQueue(absl::Status why) {
  Begin(Ending::kAfterQueue, std::move(why), /*own=*/true);
}

void GrpcStream::OtherEndGone(absl::Status why) {
  Begin(Ending::kNow, std::move(why), /*own=*/false);
}

void GrpcStream::Begin(Ending how, absl::Status why, bool own) {
  std::deque<OutgoingMessage> dropped;  // destroyed without the lock
  {
    MutexLock lock(mutex_);
    if (how <= ending_) return;
    if (ending_ == Ending::kNone) {
      why_ = why;
      if (own) own_why_ = std::move(why);
      AbortLater();
    }
    ending_ = how;
    if (how == Ending::kNow) {
      dropped.swap(queue_);
      queued_bytes_ = writing_bytes_;
    }
    if (!ClaimEnd()) return;
  }
  RunEnd();
}

// Returns true for the one caller that must run the end now.
bool GrpcStream::ClaimEnd() {
  if (ended_ || ending_ == Ending::kNone || starting_ > 0) return false;
  if (ending_ == Ending::kAfterQueue && writing_) return false;
  ended_ = true;
  return true;
}

void GrpcStream::RunEnd() {
  absl::Status why;
  bool orderly = false;
  {
    MutexLock lock(mutex_);
    why = why_;
    orderly = ending_ == Ending::kAfterQueue;
  }
  End(why, orderly);
}

// Called under the lock, so that the alarm is set before the end; the alarm
// calls nothing from inside Set.
void GrpcStream::AbortLater() {
  close_alarm_.Set(std::chrono::system_clock::now() +
                       absl::ToChronoMilliseconds(options_.close_timeout),
                   [weak = weak_from_this()](bool due) {
                     if (!due) return;
                     if (const auto self = weak.lock()) self->Abort();
                   });
}

absl::Time GrpcStream::last_used() const {
  MutexLock lock(mutex_);
  return last_used_;
}

size_t GrpcStream::queued_bytes() const {
  MutexLock lock(mutex_);
  return queued_bytes_;
}

void GrpcStream::Closed(const absl::Status& why) {
  close_alarm_.Cancel();
  std::optional<absl::Status> own;
  {
    MutexLock lock(mutex_);
    own = own_why_;
  }
  // Handler and stream own each other until this point.
  if (const auto handler = std::exchange(handler_, nullptr)) {
    handler->OnClosed(own.value_or(why));
  }
}

}  // namespace tributary
