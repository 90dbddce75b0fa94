#include "channel/call_server.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/error_text.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"

namespace tributary {
namespace {

OutgoingMessage ErrorMessage(uint64_t id, const absl::Status& status) {
  v1::CallError error;
  error.set_code(static_cast<int32_t>(status.code()));
  error.set_message(ErrorText(status));
  OutgoingMessage message;
  message.kind = MessageKind::kCallError;
  message.call_id = id;
  message.header = error.SerializeAsString();
  return message;
}

OutgoingMessage AnswerMessage(uint64_t id, CallAnswer answer) {
  OutgoingMessage message;
  message.kind = answer.kind;
  message.call_id = id;
  message.header = std::move(answer.header);
  message.payload = answer.payload;
  message.payload_owner = std::move(answer.payload_owner);
  const absl::Status limits = CheckEnvelopeLimits(message);
  return limits.ok() ? std::move(message)
                     : ErrorMessage(id, absl::InternalError(limits.message()));
}

}  // namespace

namespace call_internal {

class CallServer final : public StreamHandler,
                         public std::enable_shared_from_this<CallServer> {
 public:
  CallServer(std::shared_ptr<Stream> stream, CallerPtr caller,
             CallFunction function, CallServerOptions options)
      : caller_(std::move(caller)),
        function_(std::move(function)),
        options_(options),
        stream_(std::move(stream)) {}

  void OnMessage(IncomingMessage& message) override {
    if (message.kind() == MessageKind::kCancel) {
      CancelCall(message.call_id());
      return;
    }
    const absl::Status refused = Refusal(message);
    if (!refused.ok()) {
      Send(ErrorMessage(message.call_id(), refused));
      return;
    }
    Start(message);
  }

  void OnClosed(const absl::Status&) override {
    std::map<uint64_t, CancelToken> calls;
    std::shared_ptr<Stream> stream;  // destroyed without the lock
    {
      MutexLock lock(mutex_);
      calls.swap(calls_);
      stream = std::exchange(stream_, nullptr);
    }
    for (const auto& [id, cancel] : calls) cancel.Cancel();
  }

  void Answer(uint64_t id, absl::StatusOr<CallAnswer> answer) {
    {
      MutexLock lock(mutex_);
      if (calls_.erase(id) == 0) return;  // the stream has closed
    }
    Send(answer.ok() ? AnswerMessage(id, *std::move(answer))
                     : ErrorMessage(id, answer.status()));
  }

 private:
  absl::Status Refusal(const IncomingMessage& message) {
    if (message.payload_size() > options_.max_request_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(MessageKindName(message.kind()), " has a payload of ",
                       message.payload_size(), " bytes; at most ",
                       options_.max_request_bytes, " are taken"));
    }
    if (message.header().size() > options_.max_header_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(MessageKindName(message.kind()), " has a header of ",
                       message.header().size(), " bytes; at most ",
                       options_.max_header_bytes, " are taken"));
    }
    MutexLock lock(mutex_);
    if (calls_.count(message.call_id()) > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "call ", message.call_id(), " is still in work: an id is used once"));
    }
    if (calls_.size() >= options_.max_concurrent) {
      return absl::ResourceExhaustedError(
          absl::StrCat(calls_.size(), " calls of this stream are in work; no ",
                       "more than ", options_.max_concurrent, " are taken"));
    }
    return absl::OkStatus();
  }

  void Start(IncomingMessage& message) {
    IncomingCall call;
    call.kind = message.kind();
    call.header = std::string(message.header());
    call.payload = AlignedBuffer(message.payload_size());
    call.caller = caller_;
    const absl::Status copied = message.CopyPayload(call.payload.span());
    if (!copied.ok()) {
      if (const auto to = stream()) to->Close(copied);
      return;
    }
    {
      MutexLock lock(mutex_);
      calls_.emplace(message.call_id(), call.cancel);
    }
    function_(std::move(call),
              CallResponder(shared_from_this(), message.call_id()));
  }

  // The call still counts as unanswered until its responder is used or dropped,
  // because it holds memory until then.
  void CancelCall(uint64_t id) {
    CancelToken cancel;
    {
      MutexLock lock(mutex_);
      const auto it = calls_.find(id);
      if (it == calls_.end()) return;
      cancel = it->second;
    }
    cancel.Cancel();
  }

  std::shared_ptr<Stream> stream() {
    MutexLock lock(mutex_);
    return stream_;
  }

  // If the stream does not take the message, it has broken and OnClosed
  // follows.
  void Send(OutgoingMessage message) {
    if (const auto to = stream()) (void)to->Send(std::move(message));
  }

  const CallerPtr caller_;
  const CallFunction function_;
  const CallServerOptions options_;
  Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, CancelToken> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace call_internal

CallResponder::CallResponder(std::shared_ptr<call_internal::CallServer> server,
                             uint64_t id)
    : server_(std::move(server)), id_(id) {}

CallResponder::~CallResponder() {
  if (server_ == nullptr) return;
  server_->Answer(id_, absl::InternalError("the call was dropped unanswered"));
}

void CallResponder::operator()(absl::StatusOr<CallAnswer> answer) {
  std::exchange(server_, nullptr)->Answer(id_, std::move(answer));
}

std::shared_ptr<StreamHandler> ServeCalls(std::shared_ptr<Stream> stream,
                                          CallerPtr caller,
                                          CallFunction function,
                                          CallServerOptions options) {
  return std::make_shared<call_internal::CallServer>(
      std::move(stream), std::move(caller), std::move(function), options);
}

}  // namespace tributary
