// The Stream that users hold, of an end that its transport keeps alive as well.
#ifndef TRIBUTARY_CHANNEL_STREAM_HANDLE_H_
#define TRIBUTARY_CHANNEL_STREAM_HANDLE_H_

#include <memory>
#include <utility>

#include "channel/transport.h"

namespace tributary {

// Forwards to `End`, which has Stream's methods, and closes it when destroyed.
// Thread-safe as `End` is.
template <typename End>
class StreamHandle final : public Stream {
 public:
  explicit StreamHandle(std::shared_ptr<End> end) : end_(std::move(end)) {}
  ~StreamHandle() override {
    end_->Close(absl::CancelledError("the stream was dropped"));
  }
  absl::Status Send(OutgoingMessage message) override {
    return end_->Send(std::move(message));
  }
  size_t queued_bytes() const override { return end_->queued_bytes(); }
  void Close(absl::Status why) override { end_->Close(std::move(why)); }

 private:
  const std::shared_ptr<End> end_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_STREAM_HANDLE_H_
