#include "tests/abuse/row_memory_abuse.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tensor/dtype.h"

namespace tributary {
namespace {

constexpr uint64_t kADayMs = 24 * 3'600'000;
// A new attempt drops all that the one before has left behind.
constexpr uint64_t kMessagesOfAttempt = 60'000;

// The tag of an unknown field of bytes, none of which follow; a push without a
// byte.
constexpr char kUnknown[] = "\x7a";
constexpr char kEmptyPush[] = "\x2a";

std::string Repeated(const char* tag, size_t times) {
  std::string bytes;
  for (size_t i = 0; i < times; ++i) (bytes += tag[0]) += '\0';
  return bytes;
}

}  // namespace

v1::AttemptRef RowMemoryAbuse::Ref() const {
  v1::AttemptRef ref;
  if (names_jobs_) ref.set_job("row-thief");
  const auto& digest = schema_->content_digest;
  ref.set_content_digest(digest.data(), digest.size());
  ref.set_attempt(attempt_);
  ref.set_client(1);
  return ref;
}

template <typename Request>
OutgoingMessage RowMemoryAbuse::Call(MessageKind kind, Request request,
                                     const std::string& more) {
  if (!request.has_attempt()) *request.mutable_attempt() = Ref();
  OutgoingMessage message;
  message.kind = kind;
  message.call_id = number_;
  message.header = request.SerializeAsString() + more;
  return message;
}

OutgoingMessage RowMemoryAbuse::Open() {
  ++attempt_;
  v1::OpenAttemptRequest request;
  request.set_world(attempt_ % 2 == 0 ? 4096 : 2);
  v1::TensorMember& member = *request.add_members();
  member.set_address("thief:1");
  member.set_incarnation(incarnation_);
  return Call(MessageKind::kOpenAttemptRequest, request);
}

// The first part is never sent, so none of them is the next one.
OutgoingMessage RowMemoryAbuse::EmptyPart() {
  v1::PushRoundRequest request;
  request.set_round(1);
  request.set_part(++part_ % (1 << 16));
  return Call(MessageKind::kPushRoundRequest, request);
}

OutgoingMessage RowMemoryAbuse::EmptyWrite() {
  v1::WriteRowsRequest request;
  request.set_name("t0");
  request.set_sequence(1 + number_ % 4095);
  request.set_oldest_open(1);
  return Call(MessageKind::kWriteRowsRequest, request);
}

OutgoingMessage RowMemoryAbuse::WaitingMeeting(size_t value_bytes) {
  v1::MeetRequest request;
  request.set_sequence(1);
  request.set_purpose("barrier");
  request.set_value(std::string(value_bytes, 'v'));
  request.set_timeout_ms(kADayMs);
  return Call(MessageKind::kMeetRequest, request);
}

OutgoingMessage RowMemoryAbuse::WaitingRead() {
  v1::ReadRowsRequest request;
  request.set_name("t0");
  request.set_after_round(1);
  request.set_timeout_ms(kADayMs);
  return Call(MessageKind::kReadRowsRequest, request);
}

OutgoingMessage RowMemoryAbuse::PartOfALaterRound() {
  v1::PushRoundRequest request;
  request.set_round(9);
  return Call(MessageKind::kPushRoundRequest, request,
              Repeated(kEmptyPush, 500) + Repeated(kUnknown, 500));
}

OutgoingMessage RowMemoryAbuse::Create() {
  v1::CreateTensorRequest request;
  v1::TensorSpec& spec = *request.mutable_spec();
  spec.set_name(absl::StrCat("t", number_ / 64 % 2048));
  if (number_ / 64 % 2048 > 0) spec.mutable_name()->resize(300, 'n');
  spec.set_num_rows(1);
  spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
  spec.set_policy(std::string(300, 'p'));
  spec.set_persistent(number_ / 64 % 4 == 1);
  if (number_ / 64 % 4 == 3) {
    spec.GetReflection()->MutableUnknownFields(&spec)->AddLengthDelimited(
        99, std::string(200'000, 'u'));
  }
  return Call(MessageKind::kCreateTensorRequest, request);
}

OutgoingMessage RowMemoryAbuse::Next() {
  const uint64_t now = number_++;
  if (now % kMessagesOfAttempt == 0) return Open();
  if (now % 64 == 1) return Create();
  switch (now % 64) {
    case 2:
      return WaitingMeeting(0);
    case 3:
      return WaitingMeeting(60'000);
    case 4:
      return WaitingRead();
    case 5:
      return PartOfALaterRound();
    default:
      return now % 3 == 0 ? EmptyWrite() : EmptyPart();
  }
}

}  // namespace tributary
