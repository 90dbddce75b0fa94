#include "tests/abuse/abuse.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/proto/wire.pb.h"
#include "common/session/limits.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {
namespace {

constexpr uint64_t kCreditBytes = 8 << 10;
constexpr uint64_t kADayMs = 24 * 3'600'000;

OutgoingMessage ToMessage(
    MessageKind kind, const google::protobuf::MessageLite& header,
    uint64_t call_id = 0,
    std::shared_ptr<const std::string> payload = nullptr) {
  OutgoingMessage message;
  message.kind = kind;
  message.call_id = call_id;
  message.header = header.SerializeAsString();
  if (payload != nullptr) {
    message.payload = {reinterpret_cast<const uint8_t*>(payload->data()),
                       payload->size()};
    message.payload_owner = std::move(payload);
  }
  return message;
}

TrainerSession SessionOf(const GraphSchema& schema, uint64_t random_seed,
                         std::vector<int32_t> fanouts = {2},
                         bool features = true) {
  SpecOptions options;
  options.input_type = schema.node_types[0].name;
  options.num_neighbors.by_default = std::move(fanouts);
  options.batch_size = 3;
  options.random_seed = random_seed;
  if (!features) options.collect = CollectedColumns::None();
  return MakeSession(schema, std::move(options), {0, 1, 2, 3, 4, 5});
}

OutgoingMessage OpenSession(const TrainerSession& session,
                            const std::string& job) {
  v1::OpenSession open;
  open.set_spec(session.spec);
  open.set_wire_version(kWireVersion);
  open.set_client(job);
  return ToMessage(MessageKind::kOpenSession, open);
}

}  // namespace

absl::Span<const Abuse> AbusesOfClients() {
  static constexpr Abuse kAbuses[] = {
      kUnreadDescribes, kUnreadLeafReplies, kQueuePlaces,   kUnreadAnswers,
      kManyStreams,     kManySessions,      kCostlyBatches, kRowMemory};
  return kAbuses;
}

absl::Span<const AbusedStreams> StreamsOf(Abuse abuse) {
  static constexpr AbusedStreams kControl[] = {{StreamMethod::kControl, 3}};
  static constexpr AbusedStreams kData[] = {{StreamMethod::kData, 8}};
  static constexpr AbusedStreams kLeaf[] = {{StreamMethod::kLeaf, 3}};
  static constexpr AbusedStreams kBatches[] = {{StreamMethod::kBatches, 3}};
  static constexpr AbusedStreams kOneOfBatches[] = {
      {StreamMethod::kBatches, 1}};
  static constexpr AbusedStreams kEach[] = {{StreamMethod::kBatches, 3},
                                            {StreamMethod::kControl, 2},
                                            {StreamMethod::kLeaf, 2},
                                            {StreamMethod::kData, 2}};
  static constexpr AbusedStreams kMore[] = {{StreamMethod::kBatches, 0, 6},
                                            {StreamMethod::kControl, 0, 2},
                                            {StreamMethod::kLeaf, 0, 2},
                                            {StreamMethod::kData, 0, 2}};
  switch (abuse) {
    case kUnreadDescribes:
      return kControl;
    case kUnreadLeafReplies:
      return kLeaf;
    case kRowMemory:
      return kData;
    case kQueuePlaces:
    case kManySessions:
      return kBatches;
    case kCostlyBatches:
      return kOneOfBatches;
    case kUnreadAnswers:
      return kEach;
    case kManyStreams:
      return kMore;
    default:
      return {};
  }
}

std::vector<OutgoingMessage> AbuseMessages::Next(Abuse abuse,
                                                 StreamMethod method,
                                                 int count) {
  std::vector<OutgoingMessage> messages;
  for (int nth = 0; nth < count; ++nth) {
    switch (abuse) {
      case kUnreadDescribes:
        messages.push_back(Describe());
        break;
      case kUnreadLeafReplies:
        messages.push_back(LeafCall(nth));
        break;
      case kQueuePlaces:
        messages.push_back(QueuePlace(nth));
        break;
      case kCostlyBatches:
        messages.push_back(CostlyBatch(nth));
        break;
      case kUnreadAnswers:
        messages.push_back(FailingCall(method));
        break;
      case kManySessions:
        messages.push_back(Session());
        break;
      case kRowMemory:
        messages.push_back(rows_.Next());
        break;
      default:
        return messages;
    }
  }
  return messages;
}

OutgoingMessage AbuseMessages::Describe() {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_any(true);
  return ToMessage(MessageKind::kDescribeRequest, request, ++number_);
}

// Asks for many rows at once, then for few, which fit what is left. A partition
// that the server does not have costs it an error.
OutgoingMessage AbuseMessages::LeafCall(int nth) {
  constexpr uint64_t kRows[] = {512, 64, 4};
  v1::GatherRequest request;
  request.set_layout_digest(std::string(schema_->layout_digest.begin(),
                                        schema_->layout_digest.end()));
  request.set_partition(static_cast<uint32_t>(nth) % schema_->num_partitions);
  request.set_node_type(0);
  request.add_columns(v1::COLUMN_ORIG_ID);
  request.set_num_rows(kRows[nth / 4 % 3]);
  request.set_max_reply_bytes(1 << 20);
  request.set_timeout_ms(kADayMs);
  return ToMessage(MessageKind::kGatherRequest, request, ++number_,
                   std::make_shared<const std::string>(
                       request.num_rows() * sizeof(uint64_t), '\0'));
}

OutgoingMessage AbuseMessages::QueuePlace(int nth) {
  const TrainerSession session = SessionOf(*schema_, 1);
  if (nth % 8 == 0) {
    return OpenSession(session,
                       names_jobs_ ? absl::StrCat("made-up-", ++number_) : "");
  }
  v1::Credit credit =
      ScriptedTrainer::MakeCredit(session, 0, kCreditBytes, kADayMs);
  credit.set_grant(++number_);
  return ToMessage(MessageKind::kCredit, credit);
}

// As many hops as there may be, each of which is a step of its own.
OutgoingMessage AbuseMessages::CostlyBatch(int nth) {
  const TrainerSession session =
      SessionOf(*schema_, 1, std::vector<int32_t>(kMaxHops, 1), false);
  if (nth == 0) return OpenSession(session, names_jobs_ ? "costly" : "");
  v1::Credit credit =
      ScriptedTrainer::MakeCredit(session, 0, kCreditBytes, kADayMs);
  credit.set_grant(++number_);
  return ToMessage(MessageKind::kCredit, credit);
}

OutgoingMessage AbuseMessages::FailingCall(StreamMethod method) {
  if (method == StreamMethod::kBatches) {
    v1::Cancel cancel;
    cancel.set_grant(++number_);
    return ToMessage(MessageKind::kCancel, cancel);
  }
  v1::CallError of_no_call;
  of_no_call.set_message(std::string(200, 'x'));
  return ToMessage(static_cast<MessageKind>(999), of_no_call, ++number_);
}

OutgoingMessage AbuseMessages::Session() {
  return OpenSession(SessionOf(*schema_, ++number_),
                     names_jobs_ ? "greedy" : "");
}

}  // namespace tributary
