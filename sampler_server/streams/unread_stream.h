// A stream that knows what was sent over it and is not taken yet.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_UNREAD_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_UNREAD_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/runtime/clock.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/streams/message_share.h"

namespace tributary {

// Sends over another stream, and counts each message, until the network has
// taken it, in a share of the budget of answers: its header and what a queue
// adds; whoever made a payload counts that. A message that finds no room closes
// the stream with RESOURCE_EXHAUSTED, because the client does not read: the
// queue never grows beyond its bound.
//
// Also says whether the client has stopped reading, for the hold-up rule (see
// OpenStreams). Thread-safe.
class UnreadStream final : public Stream {
 public:
  struct Options {
    // Of the budget of answers.
    std::shared_ptr<BudgetShare> answers;
    // Of the budget of this kind of stream, which counts what makers of answers
    // take; null: there is none.
    std::shared_ptr<BudgetShare> replies;
    const Clock* clock = nullptr;  // outlives every message that is sent
    // Runs before the stream is closed for want of room; must not block.
    std::function<void()> overflowed;
  };

  UnreadStream(std::shared_ptr<Stream> stream, Options options);

  absl::Status Send(OutgoingMessage message) override;
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

  // Returns how many messages were sent and are not taken.
  size_t num_unread() const;
  // Returns for how long nothing was taken though messages were there; zero if
  // none is.
  absl::Duration Stalled() const;
  // Returns what the stream holds of `budget`, if that is one of its two.
  size_t HeldOf(const SharedBudget& budget) const;

 private:
  class Progress;
  struct Sent;

  const std::shared_ptr<Stream> stream_;
  const Options options_;
  const std::shared_ptr<MessageShare> answers_;
  const std::shared_ptr<Progress> progress_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_UNREAD_STREAM_H_
