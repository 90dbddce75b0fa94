#include "channel/grpc/accepted_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_status.h"
#include "channel/grpc/tls/peer_identity.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {

AcceptedStream::AcceptedStream(grpc::GenericCallbackServerContext* context,
                               const ConnectionOptions& options, bool tls,
                               StreamLimits* limits)
    : GrpcStream(context->peer(), options),
      tls_(tls),
      limits_(limits),
      use_(limits->UseOf(other_end())),
      context_(context) {}

void AcceptedStream::Start() {
  self_ = shared_from_this();
  const bool hasty = use_ != nullptr && !use_->OpenStream(SteadyClock().Now());
  const absl::Status admitted =
      hasty ? absl::ResourceExhaustedError("streams open too fast") : Admit();
  if (admitted.ok()) {
    StartRead(&in_);
  } else {
    Close(admitted);
  }
}

absl::Status AcceptedStream::Admit() {
  registered_ = true;
  if (!limits_->registry.Add(this)) {
    return absl::UnavailableError("the server is shutting down");
  }
  Identity identity;
  if (tls_) {
    ASSIGN_OR_RETURN(identity, PeerIdentity(*context_->auth_context()));
  }
  RETURN_IF_ERROR(CheckAllowed(identity));
  auto caller = MakeCaller(other_end(), std::move(identity));
  ASSIGN_OR_RETURN(place_,
                   limits_->places.Take(caller->share_key(), caller->address));
  return Accept(std::move(caller));
}

void AcceptedStream::OnReadDone(bool ok) {
  if (!ok) {
    OtherEndGone(absl::OkStatus());
    return;
  }
  if (use_ != nullptr) use_->ReadMessage(in_.Length());
  if (TakeMessage(&in_)) StartRead(&in_);
}

void AcceptedStream::OnCancel() { OtherEndGone(Cut()); }

void AcceptedStream::OnDone() {
  const auto self = std::move(self_);
  Over();
  const bool cut = context_->IsCancelled();
  {
    MutexLock lock(context_mutex_);
    context_ = nullptr;
  }
  Closed(cut ? Cut() : absl::OkStatus());
  if (use_ != nullptr) use_->CloseStream();
  if (registered_) limits_->registry.Remove(this);
}

void AcceptedStream::End(const absl::Status& why, bool) {
  Finish(ToGrpcStatus(why));
}

absl::Status AcceptedStream::Cut() const {
  return absl::UnavailableError(
      absl::StrCat(other_end(), ": cancelled by the other end, or lost"));
}

void AcceptedStream::StartWriteOf(const grpc::ByteBuffer* buffer) {
  StartWrite(buffer);
}

void AcceptedStream::Abort() {
  MutexLock lock(context_mutex_);
  if (context_ != nullptr) context_->TryCancel();
}

}  // namespace tributary
