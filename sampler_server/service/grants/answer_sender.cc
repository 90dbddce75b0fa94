#include "sampler_server/service/grants/answer_sender.h"

#include <utility>

#include "channel/error_text.h"

namespace tributary {
namespace {

constexpr uint64_t kRetryAfterMs = 50;

bool IsRetryable(absl::StatusCode code) {
  return code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kResourceExhausted ||
         code == absl::StatusCode::kDeadlineExceeded ||
         code == absl::StatusCode::kAborted ||
         code == absl::StatusCode::kCancelled;
}

}  // namespace

AnswerSender::AnswerSender(std::shared_ptr<Stream> stream, Executor* executor,
                           const FrameSenderOptions& frames)
    : stream_(std::move(stream)),
      frames_(FrameSender::Create(stream_, executor, frames)) {}

void AnswerSender::Break(absl::Status why) {
  closed_ = true;
  stream_->Close(std::move(why));
}

void AnswerSender::Stop() {
  closed_ = true;
  frames_->Stop();
}

void AnswerSender::SendReady(uint64_t grant, uint64_t bytes,
                             std::shared_ptr<SharedRoom> room,
                             std::unique_ptr<v1::BatchTrace> trace) {
  v1::Ready ready;
  ready.set_grant(grant);
  ready.set_total(bytes);
  if (trace != nullptr) ready.set_allocated_trace(trace.release());
  Send(MessageKind::kReady, ready, std::move(room));
}

void AnswerSender::SendFrames(uint64_t grant, absl::Span<const uint8_t> batch,
                              std::shared_ptr<const void> owner,
                              LeftOut left_out,
                              std::unique_ptr<v1::BatchTrace> trace) {
  frames_->Send(grant, batch, std::move(owner), std::move(left_out),
                std::move(trace));
}

void AnswerSender::CancelFrames(uint64_t grant) { frames_->Cancel(grant); }

void AnswerSender::SendNeeds(uint64_t grant, uint64_t bytes) {
  v1::Needs needs;
  needs.set_grant(grant);
  needs.set_bytes(bytes);
  Send(MessageKind::kNeeds, needs);
}

void AnswerSender::SendError(uint64_t grant, const absl::Status& why) {
  v1::BatchError error;
  error.set_grant(grant);
  error.set_code(static_cast<int32_t>(why.code()));
  error.set_message(ErrorText(why));
  error.set_retryable(IsRetryable(why.code()));
  if (error.retryable()) error.set_retry_after_ms(kRetryAfterMs);
  Send(MessageKind::kBatchError, error);
}

void AnswerSender::SendUnknownSession(uint64_t grant,
                                      const std::string& session) {
  v1::UnknownSession unknown;
  unknown.set_grant(grant);
  unknown.set_session(session);
  Send(MessageKind::kUnknownSession, unknown);
}

void AnswerSender::SendReturned(uint64_t grant) {
  v1::Returned returned;
  returned.set_grant(grant);
  Send(MessageKind::kReturned, returned);
}

void AnswerSender::SendProgress(const v1::Progress& progress) {
  if (progress.grant_size() > 0) Send(MessageKind::kProgress, progress);
}

void AnswerSender::Send(MessageKind kind,
                        const google::protobuf::MessageLite& header,
                        std::shared_ptr<SharedRoom> room) {
  if (closed_) return;
  OutgoingMessage message;
  message.kind = kind;
  message.header = header.SerializeAsString();
  message.room = std::move(room);
  stream_->Send(std::move(message)).IgnoreError();
}

}  // namespace tributary
