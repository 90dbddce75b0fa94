// A server's end of a stream whose other end reads nothing.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_UNTAKEN_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_UNTAKEN_STREAM_H_

#include <memory>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/transport.h"

namespace tributary {

// Keeps what the server sends, as a network does whose receiver has stopped
// reading, until the stream closes. Used on a simulation's thread only.
class UntakenStream final : public Stream {
 public:
  explicit UntakenStream(std::shared_ptr<Stream> stream)
      : stream_(std::move(stream)) {}

  absl::Status Send(OutgoingMessage message) override {
    if (closed_) return absl::UnavailableError("the stream is closed");
    queued_bytes_ += EnvelopeBytes(message);
    untaken_.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return queued_bytes_; }
  void Close(absl::Status why) override {
    closed_ = true;
    stream_->Close(std::move(why));
    queued_bytes_ = 0;
    // Their owners may use the stream when they go.
    const auto lost = std::exchange(untaken_, {});
  }

 private:
  const std::shared_ptr<Stream> stream_;
  std::vector<OutgoingMessage> untaken_;
  size_t queued_bytes_ = 0;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_UNTAKEN_STREAM_H_
