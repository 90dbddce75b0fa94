// Fuzzes a server with the messages of trainers on their batch streams, in any
// order: the server stays within its budgets, replies within the limits of the
// request, releases everything once the trainers have gone, and then makes a
// batch correctly. An input is a script (script.h):
//
//   n number          selects stream 0 or 1, and opens it
//   o number changes  sends OpenSession with one of three specifications
//   s number changes  the same, with changes of the specification itself
//   c changes         sends a Credit for 2 inputs of the last session
//   k number changes  the same, of a trainer that holds so many rows
//   x number          sends Cancel of that grant
//   r number text payload   sends a message of that kind with that header
//   p number          repeats the last message so many times
//   t number          runs so many milliseconds
//   q                 closes the stream
//   d                 drains the server
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/session.pb.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"

namespace tributary {
namespace {

constexpr uint64_t kRoomBytes = 4096;
constexpr uint64_t kMostRepeats = 300;
constexpr uint64_t kMostMilliseconds = 5000;

const std::vector<TrainerSession>& Sessions() {
  static const std::vector<TrainerSession> sessions = [] {
    SpecOptions options;
    options.batch_size = 2;
    options.shuffle = ShuffleMode::kNone;
    std::vector<TrainerSession> made;
    for (const std::vector<int32_t>& fanouts :
         {std::vector<int32_t>{2, 1}, {-1, -1}, {4}}) {
      options.num_neighbors.by_default = fanouts;
      options.replace = made.size() == 2;
      made.push_back(MakeSession(FuzzGraph()->schema(), options, {0, 3, 5, 1}));
    }
    return made;
  }();
  return sessions;
}

std::string Identity(const std::string& spec) {
  const Sha256Digest digest = SessionIdentity(spec);
  return {digest.begin(), digest.end()};
}

// One trainer's stream: what it may hear depends on what it sent.
class Trainer {
 public:
  explicit Trainer(std::shared_ptr<RawClient> client)
      : client_(std::move(client)) {
    client_->heard = [this](IncomingMessage& message) { Hear(message); };
  }
  ~Trainer() { client_->heard = nullptr; }

  void Send(OutgoingMessage message) {
    v1::Credit credit;
    if (message.kind == MessageKind::kCredit &&
        credit.ParseFromString(message.header)) {
      uint64_t& most = room_[credit.grant()];
      most = std::max(most, credit.max_bytes());
      if (credit.has_held() || credit.compact()) {
        may_lack_.insert(credit.grant());
      }
    }
    last_ = message;
    client_->Send(std::move(message));
  }
  void Repeat(uint64_t times) {
    for (; last_.has_value() && times > 0; --times) {
      client_->Send(OutgoingMessage(*last_));
    }
  }
  void Close() { client_->Close(); }

 private:
  void Hear(IncomingMessage& message) {
    switch (message.kind()) {
      case MessageKind::kFrame: {
        const auto frame = ParseHeader<v1::Frame>(message);
        Must(frame.ok() && room_.contains(frame->grant()), "a frame's grant");
        Must(frame->total() <= room_[frame->grant()],
             "a batch fits what was asked for");
        Must(frame->offset() + message.payload_size() <= frame->total(),
             "a frame lies in its batch");
        Must(frame->left_out_bytes() == 0 ||
                 (frame->left_out_bytes() < frame->total() &&
                  may_lack_.contains(frame->grant())),
             "nothing is left out unasked");
        return;
      }
      case MessageKind::kNeeds:
      case MessageKind::kBatchError:
      case MessageKind::kUnknownSession:
      case MessageKind::kReturned:
      case MessageKind::kProgress:
        return Must(message.payload_size() == 0, "no payload");
      default:
        Must(false, "a kind that trainers know");
    }
  }

  const std::shared_ptr<RawClient> client_;
  std::optional<OutgoingMessage> last_;
  std::map<uint64_t, uint64_t> room_;  // the most asked for, by grant
  // Grants whose credits name held rows, or say that edges may be compact.
  std::set<uint64_t> may_lack_;
};

class Run {
 public:
  explicit Run(Script script) : script_(script) {}

  // What a trainer that keeps to the protocol is answered after the script.
  std::string All() {
    while (!script_.done()) Step(script_.Take());
    for (auto& trainer : trainers_) {
      if (trainer != nullptr) trainer->Close();
    }
    world_.Run(absl::Seconds(1));
    return HonestBatch();
  }
  bool drained() const { return drained_; }

 private:
  void Step(char what) {
    switch (what) {
      case 'n':
        now_ = script_.Number() % 2;
        return;
      case 'o':
        return OpenSession(/*changed=*/false);
      case 's':
        return OpenSession(/*changed=*/true);
      case 'c':
        return Credit();
      case 'k':
        return Credit(script_.Number());
      case 'x': {
        v1::Cancel cancel;
        cancel.set_grant(script_.Number());
        return Send(MessageKind::kCancel, cancel.SerializeAsString());
      }
      case 'w': {
        v1::WaitReport report;
        report.set_wait_permille(static_cast<uint32_t>(script_.Number()));
        return Send(MessageKind::kWaitReport, report.SerializeAsString());
      }
      case 'r': {
        const auto kind = static_cast<MessageKind>(script_.Number());
        std::string header = script_.Text(), payload;
        script_.ChangePayload(payload);
        return Send(kind, std::move(header), std::move(payload));
      }
      case 'p':
        return Current().Repeat(std::min(script_.Number(), kMostRepeats));
      case 't':
        return world_.Run(absl::Milliseconds(static_cast<int64_t>(
            std::min(script_.Number(), kMostMilliseconds))));
      case 'q':
        return Current().Close();
      case 'd':
        if (!drained_) {
          world_.service().Drain(absl::InfiniteFuture(), [] {});
        }
        drained_ = true;
        return;
      default:
        return;
    }
  }

  void OpenSession(bool changed) {
    std::string spec = Sessions()[script_.Number() % Sessions().size()].spec;
    v1::SessionSpec parsed;
    if (changed && parsed.ParseFromString(spec)) {
      script_.Change(parsed);
      spec = parsed.SerializeAsString();
    }
    session_ = Identity(spec);
    v1::OpenSession open;
    open.set_spec(spec);
    open.set_wire_version(kWireVersion);
    open.set_client("fuzz");
    if (!changed) script_.Change(open);
    Send(MessageKind::kOpenSession, open.SerializeAsString());
  }

  void Credit(std::optional<uint64_t> rows = std::nullopt) {
    v1::Credit credit;
    if (rows.has_value()) {
      const Sha256Digest& list = FuzzHotList()->digest();
      credit.mutable_held()->set_list_digest(list.data(), list.size());
      credit.mutable_held()->add_num_rows(static_cast<uint32_t>(*rows));
      credit.set_compact(*rows % 2 == 1);
    }
    credit.set_grant(next_grant_++);
    credit.set_session(session_);
    credit.set_max_bytes(kRoomBytes);
    credit.set_timeout_ms(1000);
    for (int i : {0, 1}) {
      credit.add_input_number(i);
      credit.add_original_id(3 * i);
    }
    script_.Change(credit);
    Send(MessageKind::kCredit, credit.SerializeAsString());
  }

  void Send(MessageKind kind, std::string header, std::string payload = "") {
    OutgoingMessage message =
        MakeMessage(kind, 0, std::move(header), std::move(payload));
    if (CheckEnvelopeLimits(message).ok()) Current().Send(std::move(message));
  }

  Trainer& Current() {
    auto& trainer = trainers_[now_];
    if (trainer == nullptr) {
      trainer =
          std::make_unique<Trainer>(world_.Connect(StreamMethod::kBatches));
    }
    return *trainer;
  }

  std::string HonestBatch() {
    const TrainerSession& session = Sessions()[0];
    const auto trainer = world_.ConnectTrainer();
    trainer->Open(session);
    trainer->Ask(session, 1, kRoomBytes);
    world_.Run(absl::Seconds(20));
    return trainer->answer(1);
  }

  Script script_;
  ServiceWorld world_;
  std::unique_ptr<Trainer> trainers_[2];
  size_t now_ = 0;
  std::string session_ = Identity(Sessions()[0].spec);
  uint64_t next_grant_ = 1;
  bool drained_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string good = Run(Script({})).All();
  Must(good.rfind("ready ", 0) == 0, "an untroubled server makes a batch");
  Run run(Script({data, size}));
  const std::string answer = run.All();
  Must(run.drained() || answer == good, "it still makes the same batch");
  return 0;
}

}  // namespace tributary
