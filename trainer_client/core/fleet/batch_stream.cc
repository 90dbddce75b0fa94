#include "trainer_client/core/fleet/batch_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/error_text.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/session/limits.h"
#include "common/text/status.h"

namespace tributary {
namespace {

static_assert(kMaxLinkCreditBytes <= kMaxPayloadBytes);

// Lets the server gather straight into the slot when both share a process.
class SlotRoom final : public SharedRoom {
 public:
  explicit SlotRoom(std::shared_ptr<ReceiveSlot> slot)
      : slot_(std::move(slot)) {}
  absl::Span<uint8_t> bytes() override { return slot_->bytes(); }

 private:
  const std::shared_ptr<ReceiveSlot> slot_;
};

}  // namespace

BatchStream::Granted::Granted(std::shared_ptr<ReceiveSlot> s)
    : slot(std::move(s)), assembler(slot->bytes()) {}

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
  v1::OpenSession open;
  open.set_spec(std::string(spec));
  open.set_wire_version(kWireVersion);
  open.set_client(std::string(client));
  OutgoingMessage message;
  message.kind = MessageKind::kOpenSession;
  message.header = open.SerializeAsString();
  Send(std::move(message));
}

uint64_t BatchStream::Grant(const Ask& ask) {
  const uint64_t grant = next_grant_++;
  {
    MutexLock lock(mutex_);
    // A broken stream has told, or will tell, of its close after this.
    if (broken_.ok()) {
      granted_.emplace(grant, std::make_shared<Granted>(ask.slot));
    }
  }
  v1::Credit credit;
  credit.set_grant(grant);
  credit.set_session(ask.key.session.data(), ask.key.session.size());
  credit.set_epoch(ask.key.epoch);
  credit.set_index(ask.key.index);
  credit.set_max_bytes(ask.slot->bytes().size());
  credit.set_timeout_ms(
      std::max<int64_t>(1, absl::ToInt64Milliseconds(ask.timeout)));
  for (uint64_t number : ask.input_numbers) credit.add_input_number(number);
  for (int64_t time : ask.input_times) credit.add_input_time(time);
  for (int64_t id : ask.original_ids) {
    credit.add_original_id(static_cast<uint64_t>(id));
  }
  OutgoingMessage message;
  if (ask.link_credit != nullptr) {
    credit.set_links(ask.num_links);
    message.payload = *ask.link_credit;
    message.payload_owner = ask.link_credit;
  }
  message.kind = MessageKind::kCredit;
  message.header = credit.SerializeAsString();
  message.room = std::make_shared<SlotRoom>(ask.slot);
  Send(std::move(message));
  return grant;
}

void BatchStream::CancelGrant(uint64_t grant) {
  v1::Cancel cancel;
  cancel.set_grant(grant);
  OutgoingMessage message;
  message.kind = MessageKind::kCancel;
  message.header = cancel.SerializeAsString();
  Send(std::move(message));
}

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

uint64_t BatchStream::SignsOf(uint64_t grant) {
  const std::shared_ptr<Granted> granted = Find(grant);
  return granted == nullptr ? 0 : granted->signs.load();
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
    case MessageKind::kReady:
      return OnReady(message);
    case MessageKind::kNeeds:
      return OnNeeds(message);
    case MessageKind::kBatchError:
      return OnBatchError(message);
    case MessageKind::kUnknownSession:
      return OnUnknownSession(message);
    case MessageKind::kReturned:
      return OnReturned(message);
    case MessageKind::kProgress:
      return OnProgress(message);
    default:
      return absl::InternalError(absl::StrCat(
          MessageKindName(message.kind()), " has no place on a batch stream"));
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

absl::Status BatchStream::End(GrantEnd end) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Granted> granted, Take(end.grant));
  end.slot = granted->slot;
  strand_->Post([self = shared_from_this(), end = std::move(end)]() mutable {
    if (auto events = self->events_.lock()) {
      events->OnGrantEnd(*self, std::move(end));
    }
  });
  return absl::OkStatus();
}

absl::Status BatchStream::OnFrame(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto frame, ParseHeader<v1::Frame>(message));
  const std::shared_ptr<Granted> granted = Find(frame.grant());
  if (granted == nullptr) {
    return absl::InternalError(
        absl::StrCat("a frame for grant ", frame.grant(), ", not open"));
  }
  RETURN_IF_ERROR(
      granted->assembler.Add(frame.offset(), frame.total(), message));
  granted->signs.fetch_add(1);
  if (!granted->assembler.complete()) return absl::OkStatus();
  return End({.kind = GrantEnd::Kind::kFilled,
              .grant = frame.grant(),
              .bytes = frame.total()});
}

absl::Status BatchStream::OnReady(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto ready, ParseHeader<v1::Ready>(message));
  const std::shared_ptr<Granted> granted = Find(ready.grant());
  if (granted != nullptr && ready.total() > granted->slot->bytes().size()) {
    return absl::InternalError(absl::StrCat("ready with ", ready.total(),
                                            " bytes in a room of ",
                                            granted->slot->bytes().size()));
  }
  return End({.kind = GrantEnd::Kind::kFilled,
              .grant = ready.grant(),
              .bytes = ready.total()});
}

absl::Status BatchStream::OnNeeds(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto needs, ParseHeader<v1::Needs>(message));
  return End({.kind = GrantEnd::Kind::kNeeds,
              .grant = needs.grant(),
              .bytes = needs.bytes()});
}

absl::Status BatchStream::OnBatchError(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto error, ParseHeader<v1::BatchError>(message));
  constexpr uint64_t kMaxRetryMs = uint64_t{24} * 3600 * 1000;
  return End({.kind = GrantEnd::Kind::kError,
              .grant = error.grant(),
              .error = ErrorFrom(error.code(), error.message()),
              .retryable = error.retryable(),
              .retry_after = absl::Milliseconds(
                  std::min<uint64_t>(error.retry_after_ms(), kMaxRetryMs))});
}

absl::Status BatchStream::OnUnknownSession(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto unknown,
                   ParseHeader<v1::UnknownSession>(message));
  return End(
      {.kind = GrantEnd::Kind::kUnknownSession, .grant = unknown.grant()});
}

// A cancel and a batch may have crossed: then the grant has ended already.
absl::Status BatchStream::OnReturned(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto returned, ParseHeader<v1::Returned>(message));
  if (Find(returned.grant()) == nullptr) return absl::OkStatus();
  return End({.kind = GrantEnd::Kind::kReturned, .grant = returned.grant()});
}

absl::Status BatchStream::OnProgress(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto progress, ParseHeader<v1::Progress>(message));
  MutexLock lock(mutex_);
  for (uint64_t grant : progress.grant()) {
    const auto it = granted_.find(grant);
    if (it != granted_.end()) it->second->signs.fetch_add(1);
  }
  return absl::OkStatus();
}

}  // namespace tributary
