// MakeLyingPeer.
#include <memory>
#include <utility>

#include "common/proto/wire.pb.h"
#include "common/testing/sim_random.h"
#include "tests/sim/antagonists.h"

namespace tributary {
namespace {

OutgoingMessage AnError(uint64_t call_id, absl::StatusCode code) {
  v1::CallError error;
  error.set_code(static_cast<int32_t>(code));
  error.set_message("a lie");
  OutgoingMessage message;
  message.kind = MessageKind::kCallError;
  message.call_id = call_id;
  message.header = error.SerializeAsString();
  return message;
}

class LyingStream final : public Stream {
 public:
  LyingStream(std::shared_ptr<Stream> stream, std::shared_ptr<SimRandom> random)
      : stream_(std::move(stream)), random_(std::move(random)) {}

  absl::Status Send(OutgoingMessage message) override {
    return stream_->Send(Changed(std::move(message)));
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  OutgoingMessage Changed(OutgoingMessage message) {
    switch (random_->Below(10)) {
      case 0:
        return AnError(message.call_id, absl::StatusCode::kDataLoss);
      case 1:
        return AnError(message.call_id, absl::StatusCode::kInternal);
      case 2:
        return AnError(message.call_id, absl::StatusCode::kUnimplemented);
      case 3:  // too short for what its header says
        message.payload = message.payload.first(message.payload.size() / 2);
        message.header.push_back('\xff');
        return message;
      case 4:
        message.kind = MessageKind::kDescribeReply;
        return message;
      default:
        return message;
    }
  }

  const std::shared_ptr<Stream> stream_;
  const std::shared_ptr<SimRandom> random_;
};

class LyingPeer final : public StreamAcceptor {
 public:
  LyingPeer(StreamAcceptor* honest, uint64_t seed)
      : honest_(honest),
        random_(std::make_shared<SimRandom>(seed, "lying peer")) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (method == StreamMethod::kLeaf) {
      stream = std::make_shared<LyingStream>(std::move(stream), random_);
    }
    return honest_->Accept(method, std::move(caller), std::move(stream), why);
  }

 private:
  StreamAcceptor* const honest_;
  const std::shared_ptr<SimRandom> random_;
};

}  // namespace

std::unique_ptr<StreamAcceptor> MakeLyingPeer(StreamAcceptor* honest,
                                              uint64_t seed) {
  return std::make_unique<LyingPeer>(honest, seed);
}

}  // namespace tributary
