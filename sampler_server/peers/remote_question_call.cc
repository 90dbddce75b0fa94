#include "sampler_server/peers/remote_question_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/text/status.h"
#include "sampler_server/peers/owner_call.h"

namespace tributary {

RemoteQuestionCall::RemoteQuestionCall(const GraphSchema& schema,
                                       PartitionQuestion question, Done done)
    : question_(std::move(question)), done_(std::move(done)) {
  request_.set_layout_digest(schema.layout_digest.data(),
                             schema.layout_digest.size());
  request_.set_question_type(std::string(question_.type->name()));
  request_.set_partition(question_.partition);
  request_.set_question(std::move(question_.message));
  request_.set_answer_bytes(question_.answer_bytes);
}

void RemoteQuestionCall::Start(std::shared_ptr<PeerDirectory> directory,
                               const RemotePartitions::Limits& limits,
                               std::shared_ptr<Strand> strand) {
  if (question_.payload.size() > kMaxPayloadBytes ||
      question_.answer_bytes > kMaxPayloadBytes) {
    return done_(absl::InternalError(
        absl::StrCat("a question of ", question_.payload.size(), " bytes for ",
                     question_.answer_bytes, "; at most ", kMaxPayloadBytes)));
  }
  OwnerCallSpec spec;
  spec.partition = question_.partition;
  spec.kind = MessageKind::kQuestionRequest;
  spec.reply_kind = MessageKind::kQuestionReply;
  spec.header = [self = shared_from_this()](uint64_t timeout_ms) {
    self->request_.set_timeout_ms(timeout_ms);
    return self->request_.SerializeAsString();
  };
  spec.payload = question_.payload;
  spec.payload_owner = shared_from_this();
  spec.max_reply_bytes = question_.answer_bytes;
  spec.limits = limits;
  spec.strand = std::move(strand);
  spec.accept = [self = shared_from_this()](CallReply reply) {
    return self->Accept(std::move(reply));
  };
  spec.done = [self = shared_from_this()](absl::Status status) {
    if (!status.ok()) return self->done_(std::move(status));
    self->done_(std::move(self->answer_));
  };
  StartOwnerCall(std::move(directory), std::move(spec));
}

absl::Status RemoteQuestionCall::Accept(CallReply reply) {
  RETURN_IF_ERROR(
      ParseReplyHeader<v1::QuestionReply>(reply.kind, reply.header).status());
  if (reply.payload.size() != question_.answer_bytes) {
    return absl::DataLossError(
        absl::StrCat("an answer of ", reply.payload.size(),
                     " bytes to a question for ", question_.answer_bytes));
  }
  if (question_.check) RETURN_IF_ERROR(question_.check(reply.payload.span()));
  answer_ = std::move(reply.payload);
  return absl::OkStatus();
}

}  // namespace tributary
