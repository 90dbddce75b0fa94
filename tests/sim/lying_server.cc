// MakeLyingServer.
#include <memory>
#include <set>
#include <utility>

#include "common/proto/wire.pb.h"
#include "common/testing/sim_random.h"
#include "tests/sim/antagonists.h"

namespace tributary {
namespace {

OutgoingMessage MessageOf(MessageKind kind,
                          const google::protobuf::MessageLite& header) {
  OutgoingMessage message;
  message.kind = kind;
  message.header = header.SerializeAsString();
  return message;
}

// Returns the grant that a batch's answer, or a piece of it, is for; 0: the
// message is none.
uint64_t AnsweredGrant(const OutgoingMessage& message) {
  const auto grant_of = [&](auto header) {
    return header.ParseFromString(message.header) ? header.grant() : 0;
  };
  switch (message.kind) {
    case MessageKind::kFrame:
      return grant_of(v1::Frame());
    case MessageKind::kReady:
      return grant_of(v1::Ready());
    case MessageKind::kNeeds:
      return grant_of(v1::Needs());
    case MessageKind::kBatchError:
      return grant_of(v1::BatchError());
    default:
      return 0;
  }
}

// Lies in the place of the answers to about half of the grants.
class LyingBatches final : public Stream {
 public:
  LyingBatches(std::shared_ptr<Stream> stream,
               std::shared_ptr<SimRandom> random)
      : stream_(std::move(stream)), random_(std::move(random)) {}

  absl::Status Send(OutgoingMessage message) override {
    const uint64_t grant = AnsweredGrant(message);
    if (lied_.contains(grant)) return absl::OkStatus();  // more frames of it
    if (grant == 0 || told_truth_.contains(grant)) {
      return stream_->Send(std::move(message));
    }
    if (random_->Chance(0.5)) {
      told_truth_.insert(grant);
      return stream_->Send(std::move(message));
    }
    lied_.insert(grant);
    return Lie(grant);
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  absl::Status Lie(uint64_t grant) {
    switch (random_->Below(8)) {
      case 0:
        return SendNeeds(grant, uint64_t{1} << 62);
      case 1:
        return SendNeeds(grant, 8192 + random_->Below(1 << 20));
      case 2: {
        v1::UnknownSession unknown;
        unknown.set_grant(grant);
        return stream_->Send(MessageOf(MessageKind::kUnknownSession, unknown));
      }
      case 3: {
        v1::Returned returned;
        returned.set_grant(grant);
        return stream_->Send(MessageOf(MessageKind::kReturned, returned));
      }
      case 4:
        stream_->Close(absl::UnavailableError("a death, so it says"));
        return absl::OkStatus();
      default:
        return SendError(grant);
    }
  }
  absl::Status SendNeeds(uint64_t grant, uint64_t bytes) {
    v1::Needs needs;
    needs.set_grant(grant);
    needs.set_bytes(bytes);
    return stream_->Send(MessageOf(MessageKind::kNeeds, needs));
  }
  absl::Status SendError(uint64_t grant) {
    v1::BatchError error;
    error.set_grant(grant);
    error.set_code(static_cast<int32_t>(1 + random_->Below(16)));
    error.set_message("a lie");
    error.set_retryable(random_->Chance(0.2));
    error.set_retry_after_ms(random_->Below(1000));
    return stream_->Send(MessageOf(MessageKind::kBatchError, error));
  }

  const std::shared_ptr<Stream> stream_;
  const std::shared_ptr<SimRandom> random_;
  std::set<uint64_t> lied_, told_truth_;  // grants
};

// Describes itself as another process each time, and as one that makes nothing.
class LyingControl final : public Stream {
 public:
  LyingControl(std::shared_ptr<Stream> stream,
               std::shared_ptr<SimRandom> random)
      : stream_(std::move(stream)), random_(std::move(random)) {}

  absl::Status Send(OutgoingMessage message) override {
    if (message.kind == MessageKind::kDescribeReply) {
      v1::DescribeReply told;
      told.ParseFromString(message.header);
      told.set_incarnation(random_->Below(uint64_t{1} << 60));
      if (random_->Chance(0.5)) told.set_budget_bytes(1);
      message.header = told.SerializeAsString();
    }
    return stream_->Send(std::move(message));
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  const std::shared_ptr<Stream> stream_;
  const std::shared_ptr<SimRandom> random_;
};

class LyingServer final : public StreamAcceptor {
 public:
  LyingServer(StreamAcceptor* honest, uint64_t seed)
      : honest_(honest),
        random_(std::make_shared<SimRandom>(seed, "lying server")) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (method == StreamMethod::kBatches) {
      stream = std::make_shared<LyingBatches>(std::move(stream), random_);
    } else if (method == StreamMethod::kControl) {
      stream = std::make_shared<LyingControl>(std::move(stream), random_);
    }
    return honest_->Accept(method, std::move(caller), std::move(stream), why);
  }

 private:
  StreamAcceptor* const honest_;
  const std::shared_ptr<SimRandom> random_;
};

}  // namespace

std::unique_ptr<StreamAcceptor> MakeLyingServer(StreamAcceptor* honest,
                                                uint64_t seed) {
  return std::make_unique<LyingServer>(honest, seed);
}

}  // namespace tributary
