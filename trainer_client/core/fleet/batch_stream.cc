#include "trainer_client/core/fleet/batch_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet/grant_messages.h"

namespace tributary {
namespace {

FrameAssembler::Place PlaceOf(const v1::Frame& frame) {
  return {frame.offset(), frame.total(), frame.left_out_bytes()};
}

}  // namespace

BatchStream::Granted::Granted(const CreditRequest& request)
    : slot(request.slot),
      held(request.held),
      compact(request.compact),
      assembler(slot->bytes(), held.view != nullptr || compact) {}

std::shared_ptr<BatchStream> BatchStream::Connect(
    Transport* transport, const Address& address,
    std::shared_ptr<Strand> strand, std::weak_ptr<BatchStreamEvents> events) {
  std::shared_ptr<BatchStream> self(
      new BatchStream(std::move(strand), std::move(events)));
  std::shared_ptr<Stream> stream =
      transport->Connect(address, StreamMethod::kBatches, self);
  absl::Status broken;
  {
    MutexLock lock(self->mutex_);
    broken = self->broken_;
    if (broken.ok()) self->stream_ = stream;
  }
  if (!broken.ok()) stream->Close(broken);
  return self;
}

std::shared_ptr<Stream> BatchStream::stream() {
  MutexLock lock(mutex_);
  return broken_.ok() ? stream_ : nullptr;
}

void BatchStream::Send(OutgoingMessage message) {
  // A failed Send is followed by OnClosed: nothing to do here.
  if (auto to = stream()) to->Send(std::move(message)).IgnoreError();
}

void BatchStream::OpenSession(std::string_view spec, std::string_view client) {
  Send(OpenSessionMessage(spec, client));
}

uint64_t BatchStream::SendCredit(const CreditRequest& request,
                                 absl::Duration timeout) {
  const uint64_t grant = next_grant_++;
  {
    MutexLock lock(mutex_);
    // A broken stream reports its close after this, if it has not yet.
    if (broken_.ok()) {
      granted_.emplace(grant, std::make_shared<Granted>(request));
    }
  }
  Send(CreditMessage(grant, request, timeout));
  return grant;
}

void BatchStream::CancelGrant(uint64_t grant) { Send(CancelMessage(grant)); }

void BatchStream::Close(absl::Status why) {
  std::shared_ptr<Stream> to;
  {
    MutexLock lock(mutex_);
    if (!broken_.ok()) return;
    broken_ = why.ok() ? absl::CancelledError("closed by the loader") : why;
    to = stream_;
  }
  if (to != nullptr) to->Close(std::move(why));
}

void BatchStream::ReportWait(double wait_ratio) {
  Send(WaitReportMessage(wait_ratio));
}

uint64_t BatchStream::SignsOf(uint64_t grant) {
  const std::shared_ptr<Granted> granted = Find(grant);
  return granted == nullptr ? 0 : granted->signs.load();
}

PayloadRoom BatchStream::RoomFor(const IncomingMessage& message) {
  if (message.kind() != MessageKind::kFrame) return {};
  const auto frame = ParseHeader<v1::Frame>(message);
  if (!frame.ok()) return {};  // OnMessage reports it
  const std::shared_ptr<Granted> granted = Find(frame->grant());
  if (granted == nullptr) return {};
  return {granted->assembler.RoomFor(PlaceOf(*frame), message.payload_size()),
          granted->slot};
}

void BatchStream::OnMessage(IncomingMessage& message) {
  absl::Status status = Dispatch(message);
  if (!status.ok()) Close(std::move(status));
}

void BatchStream::OnClosed(const absl::Status& why) {
  std::map<uint64_t, std::shared_ptr<Granted>> granted;
  std::shared_ptr<Stream> stream;
  absl::Status cause;
  {
    MutexLock lock(mutex_);
    if (broken_.ok()) {
      broken_ = why.ok() ? absl::UnavailableError("the server closed") : why;
    }
    cause = broken_;
    granted.swap(granted_);
    stream.swap(stream_);
  }
  granted.clear();
  strand_->Post([self = shared_from_this(), cause = std::move(cause)] {
    if (auto events = self->events_.lock()) {
      events->OnStreamClosed(*self, cause);
    }
  });
}

absl::Status BatchStream::Dispatch(IncomingMessage& message) {
  switch (message.kind()) {
    case MessageKind::kFrame:
      return OnFrame(message);
    case MessageKind::kProgress:
      return OnProgress(message);
    default:
      return OnAnswer(message);
  }
}

std::shared_ptr<BatchStream::Granted> BatchStream::Find(uint64_t grant) {
  MutexLock lock(mutex_);
  const auto it = granted_.find(grant);
  return it == granted_.end() ? nullptr : it->second;
}

absl::StatusOr<std::shared_ptr<BatchStream::Granted>> BatchStream::Take(
    uint64_t grant) {
  MutexLock lock(mutex_);
  const auto it = granted_.find(grant);
  if (it == granted_.end()) {
    return absl::InternalError(
        absl::StrCat("an answer to grant ", grant, ", which is not open"));
  }
  std::shared_ptr<Granted> granted = std::move(it->second);
  granted_.erase(it);
  return granted;
}

absl::Status BatchStream::EndGrant(GrantEnd end) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Granted> granted, Take(end.grant));
  end.slot = granted->slot;
  Report(std::move(end));
  return absl::OkStatus();
}

void BatchStream::Report(GrantEnd end) {
  strand_->Post([self = shared_from_this(), end = std::move(end)]() mutable {
    if (auto events = self->events_.lock()) {
      events->OnGrantEnd(*self, std::move(end));
    }
  });
}

// The server does not write into the slot any more: the grant is no longer open
// here, but its end is still to be reported.
absl::Status BatchStream::FillThenEnd(GrantEnd end, LeftOut left_out) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Granted> granted, Take(end.grant));
  end.slot = granted->slot;
  const absl::Span<uint8_t> room = end.slot->bytes().first(end.bytes);
  static const auto* const nothing_held =
      new std::shared_ptr<const HeldView>(std::make_shared<HeldView>());
  FillBatch(strand_->executor(), room, std::move(left_out),
            granted->held.view != nullptr ? granted->held.view : *nothing_held,
            granted->compact, granted->slot,
            [self = shared_from_this(), end = std::move(end),
             held = granted->held](FillEnd fill) mutable {
              self->OnFillEnd(std::move(end), held, std::move(fill));
            });
  return absl::OkStatus();
}

void BatchStream::OnFillEnd(GrantEnd end, const HeldCredit& held,
                            FillEnd fill) {
  if (fill.damaged.has_value()) {
    held.rows->Drop(fill.damaged->node_type, fill.damaged->rank);
    end.kind = GrantEnd::Kind::kError;
    end.error = absl::UnavailableError(fill.status.message());
    end.retryable = true;
  } else if (fill.status.ok()) {
    end.compact_bytes = fill.compact_bytes;
  } else {
    end.kind = GrantEnd::Kind::kReturned;
    Close(std::move(fill.status));
  }
  Report(std::move(end));
}

absl::Status BatchStream::OnFrame(IncomingMessage& message) {
  ASSIGN_OR_RETURN(auto frame, ParseHeader<v1::Frame>(message));
  const std::shared_ptr<Granted> granted = Find(frame.grant());
  if (granted == nullptr) {
    return absl::InternalError(
        absl::StrCat("a frame for grant ", frame.grant(), ", not open"));
  }
  FrameAssembler& assembler = granted->assembler;
  RETURN_IF_ERROR(assembler.Add(PlaceOf(frame), message));
  if (frame.has_trace()) {
    granted->trace = TraceOf(std::move(*frame.mutable_trace()));
  }
  granted->signs.fetch_add(1);
  if (!assembler.complete()) return absl::OkStatus();
  GrantEnd end{.kind = GrantEnd::Kind::kFilled,
               .grant = frame.grant(),
               .bytes = frame.total()};
  end.trace = granted->trace;
  end.left_out_bytes = frame.left_out_bytes();
  // With held rows looked through even if nothing was left out: no rank may be
  // left in it.
  if (granted->held.view == nullptr && end.left_out_bytes == 0) {
    return EndGrant(std::move(end));
  }
  return FillThenEnd(std::move(end),
                     {assembler.TakeGaps(), frame.left_out_crcs()});
}

absl::Status BatchStream::OnAnswer(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(GrantEnd end, ParseGrantEnd(message));
  const std::shared_ptr<Granted> granted = Find(end.grant);
  // A cancel and a batch crossed: the grant has ended already.
  if (granted == nullptr && end.kind == GrantEnd::Kind::kReturned) {
    return absl::OkStatus();
  }
  if (granted != nullptr && end.kind == GrantEnd::Kind::kFilled &&
      end.bytes > granted->slot->bytes().size()) {
    return absl::InternalError(absl::StrCat("ready with ", end.bytes,
                                            " bytes in a room of ",
                                            granted->slot->bytes().size()));
  }
  return EndGrant(std::move(end));
}

absl::Status BatchStream::OnProgress(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto progress, ParseHeader<v1::Progress>(message));
  MutexLock lock(mutex_);
  for (uint64_t grant : progress.grant()) {
    const auto it = granted_.find(grant);
    if (it != granted_.end()) it->second->signs.fetch_add(1);
  }
  return absl::OkStatus();
}

}  // namespace tributary
