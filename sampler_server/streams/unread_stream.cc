#include "sampler_server/streams/unread_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/mutex.h"

namespace tributary {
namespace {

// A description counts in the budget of control answers.
size_t CountedBytes(const OutgoingMessage& message) {
  return message.kind == MessageKind::kDescribeReply ? 0
                                                     : message.header.size();
}

}  // namespace

// When messages were sent and taken. Messages keep it alive, not the stream.
class UnreadStream::Progress {
 public:
  explicit Progress(const Clock* clock) : clock_(clock) {}

  void Add() {
    const absl::Time now = clock_->Now();
    MutexLock lock(mutex_);
    if (unread_++ == 0) last_taken_ = now;
  }
  void Take() {
    const absl::Time now = clock_->Now();
    MutexLock lock(mutex_);
    --unread_;
    last_taken_ = now;
  }
  size_t unread() const {
    MutexLock lock(mutex_);
    return unread_;
  }
  absl::Duration Stalled() const {
    const absl::Time now = clock_->Now();
    MutexLock lock(mutex_);
    return unread_ == 0 ? absl::ZeroDuration() : now - last_taken_;
  }

 private:
  const Clock* const clock_;
  mutable Mutex mutex_;
  size_t unread_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_taken_ ABSL_GUARDED_BY(mutex_);  // or the first was sent
};

// One message's owner, until the network has taken the message.
struct UnreadStream::Sent {
  Sent(std::shared_ptr<Progress> progress, MessageShare::Hold hold,
       std::shared_ptr<const void> payload_owner)
      : progress(std::move(progress)),
        hold(std::move(hold)),
        payload_owner(std::move(payload_owner)) {}
  ~Sent() { progress->Take(); }
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;

  const std::shared_ptr<Progress> progress;
  const MessageShare::Hold hold;
  const std::shared_ptr<const void> payload_owner;
};

UnreadStream::UnreadStream(std::shared_ptr<Stream> stream, Options options)
    : stream_(std::move(stream)),
      options_(std::move(options)),
      answers_(std::make_shared<MessageShare>(options_.answers)),
      progress_(std::make_shared<Progress>(options_.clock)) {}

absl::Status UnreadStream::Send(OutgoingMessage message) {
  auto hold = answers_->TryTake(CountedBytes(message));
  if (!hold.ok()) {
    const absl::Status why = absl::ResourceExhaustedError(
        absl::StrCat(num_unread(), " answers were sent over this stream and ",
                     "not taken, and there is no room for more: read them (",
                     hold.status().message(), ")"));
    if (options_.overflowed) options_.overflowed();
    stream_->Close(why);
    return why;
  }
  progress_->Add();
  message.payload_owner = std::make_shared<const Sent>(
      progress_, *std::move(hold), std::move(message.payload_owner));
  return stream_->Send(std::move(message));
}

size_t UnreadStream::num_unread() const { return progress_->unread(); }
absl::Duration UnreadStream::Stalled() const { return progress_->Stalled(); }

size_t UnreadStream::HeldOf(const SharedBudget& budget) const {
  size_t held = 0;
  for (const auto& share : {options_.answers, options_.replies}) {
    if (share != nullptr && &share->budget() == &budget) held += share->used();
  }
  return held;
}

}  // namespace tributary
