#include "tests/fuzz/lying_acceptor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "channel/envelope.h"
#include "common/proto/wire.pb.h"

namespace tributary {
namespace {

constexpr uint64_t kMostRepeats = 100;

std::unique_ptr<google::protobuf::Message> HeaderOf(MessageKind kind) {
  switch (kind) {
    case MessageKind::kDescribeReply:
      return std::make_unique<v1::DescribeReply>();
    case MessageKind::kSampleHopReply:
      return std::make_unique<v1::SampleHopReply>();
    case MessageKind::kGatherReply:
      return std::make_unique<v1::GatherReply>();
    case MessageKind::kGetInputIdsReply:
      return std::make_unique<v1::GetInputIdsReply>();
    case MessageKind::kGetGraphJsonReply:
      return std::make_unique<v1::GetGraphJsonReply>();
    case MessageKind::kFrame:
      return std::make_unique<v1::Frame>();
    case MessageKind::kNeeds:
      return std::make_unique<v1::Needs>();
    case MessageKind::kBatchError:
      return std::make_unique<v1::BatchError>();
    case MessageKind::kProgress:
      return std::make_unique<v1::Progress>();
    default:
      return std::make_unique<v1::CallError>();
  }
}

// Sends the messages of the honest service, changed by the script until it
// ends.
class LyingStream final : public Stream {
 public:
  LyingStream(std::shared_ptr<Stream> stream, Script* script)
      : stream_(std::move(stream)), script_(script) {}

  absl::Status Send(OutgoingMessage message) override {
    if (script_->done()) return stream_->Send(std::move(message));
    ChangeHeader(message);
    std::string payload(message.payload.begin(), message.payload.end());
    script_->ChangePayload(payload);
    uint64_t times = 1;
    while (!script_->done()) {
      const char what = script_->Take();
      if (what == ';') break;
      if (what == 's') times = 0;
      if (what == 'p') times += std::min(script_->Number(), kMostRepeats);
      if (what == 'q') stream_->Close(absl::UnavailableError("so it says"));
      Change(what, message, payload);
    }
    for (; times > 0; --times) SendOne(message, payload);
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  void ChangeHeader(OutgoingMessage& message) {
    const auto header = HeaderOf(message.kind);
    header->ParseFromString(message.header);
    script_->Change(*header);
    message.header = header->SerializeAsString();
  }

  void Change(char what, OutgoingMessage& message, std::string& payload) {
    switch (what) {
      case 'k':
        message.kind = static_cast<MessageKind>(script_->Number());
        return;
      case 'i':
        message.call_id = script_->Number();
        return;
      case 'e': {
        v1::CallError error;
        error.set_code(static_cast<int32_t>(script_->Number()));
        error.set_message(script_->Text());
        message.kind = MessageKind::kCallError;
        message.header = error.SerializeAsString();
        payload.clear();
        return;
      }
      default:
        return;
    }
  }

  void SendOne(const OutgoingMessage& message, const std::string& payload) {
    OutgoingMessage sent =
        MakeMessage(message.kind, message.call_id, message.header, payload);
    if (!CheckEnvelopeLimits(sent).ok()) return;
    stream_->Send(std::move(sent)).IgnoreError();
  }

  const std::shared_ptr<Stream> stream_;
  Script* const script_;
};

}  // namespace

std::shared_ptr<StreamHandler> LyingAcceptor::Accept(
    StreamMethod method, CallerPtr caller, std::shared_ptr<Stream> stream,
    absl::Status* why) {
  return honest_->Accept(
      method, std::move(caller),
      std::make_shared<LyingStream>(std::move(stream), script_), why);
}

}  // namespace tributary
