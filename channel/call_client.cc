#include "channel/call_client.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "channel/error_text.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the error in a CallError, or DATA_LOSS if it cannot be parsed.
absl::Status ErrorOf(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto error, ParseReplyHeader<v1::CallError>(
                                         message.kind(), message.header()));
  return ErrorFrom(error.code(), error.message());
}

}  // namespace

class CallClient::Core final : public StreamHandler,
                               public std::enable_shared_from_this<Core> {
 public:
  Core(std::string address, Executor* executor, CallClientOptions options)
      : address_(std::move(address)), executor_(executor), options_(options) {}

  void Open(Transport* transport, const Address& address, StreamMethod method) {
    auto stream = transport->Connect(address, method, shared_from_this());
    MutexLock lock(mutex_);
    if (!broken_.has_value()) stream_ = std::move(stream);
  }

  CallId Call(CallRequest request, absl::Time deadline, size_t max_reply_bytes,
              Done done);
  void Cancel(CallId id);
  void Close(absl::Status why);

  PayloadRoom RoomFor(const IncomingMessage& message) override;
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

  bool open() const {
    MutexLock lock(mutex_);
    return !broken_.has_value();
  }
  size_t outstanding() const {
    MutexLock lock(mutex_);
    return calls_.size();
  }
  uint64_t late_replies() const {
    MutexLock lock(mutex_);
    return late_replies_;
  }

 private:
  struct Pending {
    Done done;
    TimerId timer = 0;
    size_t max_reply_bytes = 0;
  };

  absl::StatusOr<CallId> Register(MessageKind kind, absl::Time deadline,
                                  size_t max_reply_bytes, Done& done);
  std::shared_ptr<Stream> stream() const {
    MutexLock lock(mutex_);
    return stream_;
  }
  std::optional<size_t> ReplyLimit(CallId id);
  absl::StatusOr<CallReply> Read(IncomingMessage& message, size_t limit);
  bool Finish(CallId id, absl::StatusOr<CallReply> result);
  void TellServer(CallId id);
  void Post(Done done, absl::StatusOr<CallReply> result);
  void Break(const absl::Status& why);

  const std::string address_;
  Executor* const executor_;
  const CallClientOptions options_;
  mutable Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> broken_ ABSL_GUARDED_BY(mutex_);
  CallId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  uint64_t late_replies_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<CallId, Pending> calls_ ABSL_GUARDED_BY(mutex_);
  // The payload that RoomFor has given room to, until OnMessage takes it. Used
  // on the transport's thread.
  std::shared_ptr<AlignedBuffer> room_;
};

absl::StatusOr<CallClient::CallId> CallClient::Core::Register(
    MessageKind kind, absl::Time deadline, size_t max_reply_bytes, Done& done) {
  if (deadline == absl::InfiniteFuture()) {
    return absl::InvalidArgumentError(absl::StrCat(
        MessageKindName(kind), " to ", address_, ": a call needs a deadline"));
  }
  MutexLock lock(mutex_);
  if (broken_.has_value()) return *broken_;
  if (calls_.size() >= options_.max_outstanding) {
    return absl::ResourceExhaustedError(absl::StrCat(
        MessageKindName(kind), " to ", address_, ": ", calls_.size(),
        " calls are outstanding, as many as max_outstanding allows"));
  }
  const CallId id = next_id_++;
  Pending& call = calls_[id];
  call.done = std::move(done);
  call.max_reply_bytes = max_reply_bytes;
  call.timer = executor_->PostAt(deadline, [weak = weak_from_this(), id, kind] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    if (self->Finish(id, absl::DeadlineExceededError(absl::StrCat(
                             MessageKindName(kind), " to ", self->address_,
                             ": no answer before the deadline")))) {
      self->TellServer(id);
    }
  });
  return id;
}

CallClient::CallId CallClient::Core::Call(CallRequest request,
                                          absl::Time deadline,
                                          size_t max_reply_bytes, Done done) {
  const auto id = Register(request.kind, deadline, max_reply_bytes, done);
  if (!id.ok()) {
    Post(std::move(done), id.status());
    return 0;
  }
  OutgoingMessage message;
  message.kind = request.kind;
  message.call_id = *id;
  message.header = std::move(request.header);
  message.payload = request.payload;
  message.payload_owner = std::move(request.payload_owner);
  const auto to = stream();
  if (to == nullptr) return *id;  // Break has failed the call
  const absl::Status sent = to->Send(std::move(message));
  // If the stream has closed, OnClosed fails the call with the cause.
  if (!sent.ok() && !absl::IsUnavailable(sent)) Finish(*id, sent);
  return *id;
}

void CallClient::Core::Cancel(CallId id) {
  if (Finish(id, absl::CancelledError(absl::StrCat("the call to ", address_,
                                                   " was cancelled")))) {
    TellServer(id);
  }
}

void CallClient::Core::Close(absl::Status why) {
  const auto to = stream();
  Break(why);
  if (to != nullptr) to->Close(std::move(why));
}

// Lets the server drop the work. An answer that is already on its way is
// dropped here.
void CallClient::Core::TellServer(CallId id) {
  OutgoingMessage cancel;
  cancel.kind = MessageKind::kCancel;
  cancel.call_id = id;
  if (const auto to = stream()) (void)to->Send(std::move(cancel));
}

// Returns the reply limit of a call that waits for its answer; otherwise counts
// a late reply.
std::optional<size_t> CallClient::Core::ReplyLimit(CallId id) {
  MutexLock lock(mutex_);
  const auto it = calls_.find(id);
  if (it == calls_.end()) {
    ++late_replies_;
    return std::nullopt;
  }
  return it->second.max_reply_bytes;
}

absl::StatusOr<CallReply> CallClient::Core::Read(IncomingMessage& message,
                                                 size_t limit) {
  if (message.kind() == MessageKind::kCallError) return ErrorOf(message);
  if (message.payload_size() > limit) {
    return absl::ResourceExhaustedError(absl::StrCat(
        MessageKindName(message.kind()), " from ", address_, " has ",
        message.payload_size(), " bytes; at most ", limit, " were asked for"));
  }
  CallReply reply;
  reply.kind = message.kind();
  reply.header = std::string(message.header());
  const std::shared_ptr<AlignedBuffer> room = std::exchange(room_, nullptr);
  reply.payload = room != nullptr ? std::move(*room)
                                  : AlignedBuffer(message.payload_size());
  const absl::Status copied = message.CopyPayload(reply.payload.span());
  if (!copied.ok()) {
    Close(absl::Status(copied.code(),
                       absl::StrCat(address_, ": ", copied.message())));
    return copied;
  }
  return reply;
}

PayloadRoom CallClient::Core::RoomFor(const IncomingMessage& message) {
  {
    MutexLock lock(mutex_);
    const auto call = calls_.find(message.call_id());
    if (message.payload_size() == 0 || call == calls_.end() ||
        message.kind() == MessageKind::kCallError ||
        message.payload_size() > call->second.max_reply_bytes) {
      return {};
    }
  }
  room_ = std::make_shared<AlignedBuffer>(message.payload_size());
  return {room_->span(), room_};
}

void CallClient::Core::OnMessage(IncomingMessage& message) {
  const absl::Cleanup drop_room = [this] { room_ = nullptr; };
  const auto limit = ReplyLimit(message.call_id());
  if (!limit.has_value()) return;
  Finish(message.call_id(), Read(message, *limit));
}

void CallClient::Core::OnClosed(const absl::Status& why) {
  room_ = nullptr;
  Break(why.ok() ? absl::UnavailableError(
                       absl::StrCat(address_, ": closed the stream"))
                 : why);
}

// Returns false if the call was already over.
bool CallClient::Core::Finish(CallId id, absl::StatusOr<CallReply> result) {
  Pending call;
  {
    MutexLock lock(mutex_);
    const auto it = calls_.find(id);
    if (it == calls_.end()) return false;
    call = std::move(it->second);
    calls_.erase(it);
  }
  executor_->CancelTimer(call.timer);
  Post(std::move(call.done), std::move(result));
  return true;
}

void CallClient::Core::Post(Done done, absl::StatusOr<CallReply> result) {
  executor_->Post(
      [done = std::move(done), result = std::move(result)]() mutable {
        done(std::move(result));
      });
}

void CallClient::Core::Break(const absl::Status& why) {
  std::map<CallId, Pending> calls;
  std::shared_ptr<Stream> stream;  // destroyed without the lock
  {
    MutexLock lock(mutex_);
    if (!broken_.has_value()) broken_ = why;
    calls.swap(calls_);
    stream = std::exchange(stream_, nullptr);
  }
  for (auto& [id, call] : calls) {
    executor_->CancelTimer(call.timer);
    Post(std::move(call.done), why);
  }
}

CallClient::CallClient(Transport* transport, const Address& address,
                       StreamMethod method, Executor* executor,
                       CallClientOptions options)
    : core_(std::make_shared<Core>(address.ToString(), executor, options)) {
  core_->Open(transport, address, method);
}

CallClient::~CallClient() {
  core_->Close(absl::CancelledError("the call client was destroyed"));
}

CallClient::CallId CallClient::Call(CallRequest request, absl::Time deadline,
                                    size_t max_reply_bytes, Done done) {
  return core_->Call(std::move(request), deadline, max_reply_bytes,
                     std::move(done));
}

void CallClient::Cancel(CallId id) { core_->Cancel(id); }
void CallClient::Close(absl::Status why) { core_->Close(std::move(why)); }
bool CallClient::open() const { return core_->open(); }
size_t CallClient::outstanding() const { return core_->outstanding(); }
uint64_t CallClient::late_replies() const { return core_->late_replies(); }

}  // namespace tributary
