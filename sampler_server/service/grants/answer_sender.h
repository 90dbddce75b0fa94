// Sends one trainer the answers to its credits.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_ANSWER_SENDER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_ANSWER_SENDER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/frame_sender.h"
#include "channel/transport.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"

namespace tributary {

// The sending half of a batch stream: small messages at once, batches as frames
// between them. Belongs to the stream's strand, but for Close. Nothing is sent
// once the stream is closed; a Send that fails is followed by
// StreamHandler::OnClosed, so no method returns a status.
class AnswerSender {
 public:
  // `executor` outlives every batch that is handed over.
  AnswerSender(std::shared_ptr<Stream> stream, Executor* executor,
               const FrameSenderOptions& frames);

  // Closes the stream; OnClosed follows. Any thread.
  void Close(absl::Status why) { stream_->Close(std::move(why)); }
  // Closes the stream because of the trainer, and sends nothing from now on.
  void Break(absl::Status why);
  // Releases the batches that are left. Call it once the stream has closed.
  void Stop();
  // Whether Break or Stop has been called.
  bool closed() const { return closed_; }

  // The batch of `bytes` bytes is in `room`, the slot that the trainer lent.
  // The message carries `trace`, unless that is null; so below.
  void SendReady(uint64_t grant, uint64_t bytes,
                 std::shared_ptr<SharedRoom> room,
                 std::unique_ptr<v1::BatchTrace> trace = nullptr);
  // Sends `batch`, without what is left out, as frames; `owner` keeps it and is
  // released, on any thread, once the network has taken the last frame, or
  // CancelFrames or Stop was called. Requires a batch that is not empty.
  void SendFrames(uint64_t grant, absl::Span<const uint8_t> batch,
                  std::shared_ptr<const void> owner, LeftOut left_out,
                  std::unique_ptr<v1::BatchTrace> trace = nullptr);
  void CancelFrames(uint64_t grant);
  // The credit was too small; the trainer may ask again with `bytes`.
  void SendNeeds(uint64_t grant, uint64_t bytes);
  // The batch cannot be made. Errors of capacity, time and network are marked
  // as retryable after 50 ms, all others as permanent.
  void SendError(uint64_t grant, const absl::Status& why);
  // The credit's session (`session`: as the credit names it) is not known; the
  // trainer may open it and ask again.
  void SendUnknownSession(uint64_t grant, const std::string& session);
  // The server holds nothing of a cancelled grant.
  void SendReturned(uint64_t grant);
  // Sends nothing when no grant is named.
  void SendProgress(const v1::Progress& progress);

  // Frames that the network has taken so far.
  uint64_t frames_taken() const { return frames_->frames_taken(); }

 private:
  void Send(MessageKind kind, const google::protobuf::MessageLite& header,
            std::shared_ptr<SharedRoom> room = nullptr);

  const std::shared_ptr<Stream> stream_;
  const std::shared_ptr<FrameSender> frames_;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_ANSWER_SENDER_H_
