// What a trainer's stream says beside its batches, and when it has
// waited long enough for its reader.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/error_text.h"
#include "sampler_server/service/trainer_stream.h"

namespace tributary {
namespace {

constexpr uint64_t kRetryAfterMs = 50;
constexpr absl::Duration kProgressInterval = absl::Milliseconds(100);
// A stream that takes nothing for so long is closed, if a batch waits for
// memory, and longer than until the next one is ready.
constexpr absl::Duration kHoldUp = absl::Seconds(2);
constexpr absl::Duration kWanted = absl::Milliseconds(100);

bool IsRetryable(absl::StatusCode code) {
  return code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kResourceExhausted ||
         code == absl::StatusCode::kDeadlineExceeded ||
         code == absl::StatusCode::kAborted ||
         code == absl::StatusCode::kCancelled;
}

}  // namespace

void TrainerStream::SendError(uint64_t grant, const absl::Status& why) {
  v1::BatchError error;
  error.set_grant(grant);
  error.set_code(static_cast<int32_t>(why.code()));
  error.set_message(ErrorText(why));
  error.set_retryable(IsRetryable(why.code()));
  if (error.retryable()) error.set_retry_after_ms(kRetryAfterMs);
  Send(MessageKind::kBatchError, error);
}

void TrainerStream::SendReturned(uint64_t grant) {
  v1::Returned returned;
  returned.set_grant(grant);
  Send(MessageKind::kReturned, returned);
}

// A failed Send is followed by OnClosed, which cleans up.
void TrainerStream::Send(MessageKind kind,
                         const google::protobuf::MessageLite& header,
                         std::shared_ptr<SharedRoom> room) {
  if (closed_) return;
  OutgoingMessage message;
  message.kind = kind;
  message.header = header.SerializeAsString();
  message.room = std::move(room);
  stream_->Send(std::move(message)).IgnoreError();
}

void TrainerStream::ArmProgress() {
  if (progress_timer_ != 0 || grants_.empty() || closed_) return;
  progress_timer_ =
      strand_->PostAfter(kProgressInterval, [self = shared_from_this()] {
        self->progress_timer_ = 0;
        if (self->HoldsOthersUp()) return;
        self->SendProgress();
        self->ArmProgress();
      });
}

bool TrainerStream::Sends() const {
  return std::any_of(grants_.begin(), grants_.end(),
                     [](const auto& grant) { return grant.second.sending; });
}

// Who reads makes room for others; who does not is not waited for. His loader
// asks again, once it reads.
bool TrainerStream::HoldsOthersUp() {
  const absl::Time now = strand_->Now();
  const uint64_t taken = sender_->frames_taken();
  if (!Sends() || taken != frames_taken_) took_at_ = now;
  frames_taken_ = taken;
  if (now - took_at_ < kHoldUp ||
      now - core_->admission->memory_wanted_since() < kWanted) {
    return false;
  }
  Break(absl::ResourceExhaustedError(
      absl::StrCat("nothing of this stream was taken for ",
                   absl::FormatDuration(now - took_at_),
                   " while others wait for the memory that it holds")));
  return true;
}

// A cancelled grant counts until Returned: its room is not the trainer's yet.
void TrainerStream::SendProgress() {
  v1::Progress progress;
  for (const auto& [id, grant] : grants_) {
    if (grant.answered && (grant.cancelled || !grant.sending)) continue;
    progress.add_grant(id);
    progress.add_stage(grant.stage->load());
  }
  if (progress.grant_size() > 0) Send(MessageKind::kProgress, progress);
}

}  // namespace tributary
