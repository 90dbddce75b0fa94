#include "sampler_server/service/grants/trainer_inbox.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<TrainerMessage> QueuedMessage::Parse() {
  if (kind_ == MessageKind::kOpenSession) {
    v1::OpenSession open;
    if (open.ParseFromString(header_)) return open;
  } else if (kind_ == MessageKind::kCredit) {
    CreditMessage credit;
    if (credit.credit.ParseFromString(header_)) {
      credit.payload = std::move(payload_);
      credit.room = std::move(room_);
      return credit;
    }
  } else if (kind_ == MessageKind::kCancel) {
    v1::Cancel cancel;
    if (cancel.ParseFromString(header_)) return cancel;
  } else if (kind_ == MessageKind::kWaitReport) {
    v1::WaitReport report;
    if (report.ParseFromString(header_)) return report;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(MessageKindName(kind_),
                   " is not, or not in this form, for a batch stream: "
                   "OpenSession, Credit, Cancel and WaitReport are"));
}

std::shared_ptr<const void> TrainerInbox::Count(size_t bytes) {
  counts_->messages.fetch_add(1);
  counts_->bytes.fetch_add(bytes);
  return {counts_.get(), [counts = counts_, bytes](const void*) {
            counts->messages.fetch_sub(1);
            counts->bytes.fetch_sub(bytes);
          }};
}

absl::StatusOr<QueuedMessage> TrainerInbox::Take(IncomingMessage& message) {
  if (message.payload_size() != 0 && message.kind() != MessageKind::kCredit) {
    return absl::InvalidArgumentError(
        absl::StrCat(MessageKindName(message.kind()), " with a payload of ",
                     message.payload_size(), " bytes; it has none"));
  }
  QueuedMessage received;
  const size_t bytes = message.header().size() + message.payload_size();
  received.share_ = Count(bytes);
  if (counts_->messages > kMaxMessages || counts_->bytes > kMaxBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", kMaxMessages, " messages, or ", kMaxBytes,
                     " bytes of them, that were not waited for"));
  }
  if (share_ != nullptr) {
    ASSIGN_OR_RETURN(received.hold_, share_->TryTake(bytes));
  }
  received.kind_ = message.kind();
  received.header_ = std::string(message.header());
  received.payload_.resize(message.payload_size());
  received.room_ = message.room();
  if (!received.payload_.empty()) {
    RETURN_IF_ERROR(message.CopyPayload(absl::MakeSpan(received.payload_)));
  }
  return received;
}

}  // namespace tributary
