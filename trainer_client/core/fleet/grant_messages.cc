#include "trainer_client/core/fleet/grant_messages.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/error_text.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/session/limits.h"
#include "common/text/status.h"

namespace tributary {
namespace {

static_assert(kMaxLinkCreditBytes <= kMaxPayloadBytes);

constexpr uint64_t kMaxRetryAfterMs = uint64_t{24} * 3600 * 1000;

void SetInputs(const CreditInputs& inputs, v1::Credit& credit,
               OutgoingMessage& message) {
  for (uint64_t number : inputs.numbers) credit.add_input_number(number);
  for (int64_t time : inputs.times) credit.add_input_time(time);
  for (int64_t id : inputs.original_ids) {
    credit.add_original_id(static_cast<uint64_t>(id));
  }
  if (inputs.link_credit == nullptr) return;
  credit.set_links(inputs.num_links);
  message.payload = *inputs.link_credit;
  message.payload_owner = inputs.link_credit;
}

void SetHeld(const HeldView& held, v1::Credit& credit) {
  credit.mutable_held()->set_list_digest(held.list.data(), held.list.size());
  for (const HeldType& type : held.types) {
    credit.mutable_held()->add_num_rows(type.num_rows);
  }
}

absl::StatusOr<GrantEnd> ParseReady(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(auto ready, ParseHeader<v1::Ready>(message));
  GrantEnd end{.kind = GrantEnd::Kind::kFilled,
               .grant = ready.grant(),
               .bytes = ready.total()};
  if (ready.has_trace()) end.trace = TraceOf(std::move(*ready.mutable_trace()));
  return end;
}

absl::StatusOr<GrantEnd> ParseNeeds(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto needs, ParseHeader<v1::Needs>(message));
  return GrantEnd{.kind = GrantEnd::Kind::kNeeds,
                  .grant = needs.grant(),
                  .bytes = needs.bytes()};
}

absl::StatusOr<GrantEnd> ParseBatchError(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto error, ParseHeader<v1::BatchError>(message));
  return GrantEnd{.kind = GrantEnd::Kind::kError,
                  .grant = error.grant(),
                  .error = ErrorFrom(error.code(), error.message()),
                  .retryable = error.retryable(),
                  .retry_after = absl::Milliseconds(std::min<uint64_t>(
                      error.retry_after_ms(), kMaxRetryAfterMs))};
}

absl::StatusOr<GrantEnd> ParseUnknownSession(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto unknown,
                   ParseHeader<v1::UnknownSession>(message));
  return GrantEnd{.kind = GrantEnd::Kind::kUnknownSession,
                  .grant = unknown.grant()};
}

absl::StatusOr<GrantEnd> ParseReturned(const IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto returned, ParseHeader<v1::Returned>(message));
  return GrantEnd{.kind = GrantEnd::Kind::kReturned, .grant = returned.grant()};
}

}  // namespace

OutgoingMessage OpenSessionMessage(std::string_view spec,
                                   std::string_view client) {
  v1::OpenSession open;
  open.set_spec(std::string(spec));
  open.set_wire_version(kWireVersion);
  open.set_client(std::string(client));
  OutgoingMessage message;
  message.kind = MessageKind::kOpenSession;
  message.header = open.SerializeAsString();
  return message;
}

OutgoingMessage CreditMessage(uint64_t grant, const CreditRequest& request,
                              absl::Duration timeout) {
  v1::Credit credit;
  credit.set_grant(grant);
  credit.set_session(request.key.session.data(), request.key.session.size());
  credit.set_epoch(request.key.epoch);
  credit.set_index(request.key.index);
  credit.set_max_bytes(request.slot->bytes().size());
  credit.set_timeout_ms(
      std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout)));
  credit.set_trace_id(request.trace_id);
  if (request.held.view != nullptr) SetHeld(*request.held.view, credit);
  credit.set_compact(request.compact);
  OutgoingMessage message;
  SetInputs(request.inputs, credit, message);
  message.kind = MessageKind::kCredit;
  message.header = credit.SerializeAsString();
  message.room = request.slot;
  return message;
}

OutgoingMessage CancelMessage(uint64_t grant) {
  v1::Cancel cancel;
  cancel.set_grant(grant);
  OutgoingMessage message;
  message.kind = MessageKind::kCancel;
  message.header = cancel.SerializeAsString();
  return message;
}

OutgoingMessage WaitReportMessage(double wait_ratio) {
  v1::WaitReport report;
  report.set_wait_permille(static_cast<uint32_t>(
      std::lround(1000 * std::clamp(wait_ratio, 0.0, 1.0))));
  OutgoingMessage message;
  message.kind = MessageKind::kWaitReport;
  message.header = report.SerializeAsString();
  return message;
}

std::shared_ptr<const v1::BatchTrace> TraceOf(v1::BatchTrace trace) {
  if (trace.ByteSizeLong() > kMaxTraceBytes) return nullptr;
  return std::make_shared<const v1::BatchTrace>(std::move(trace));
}

absl::StatusOr<GrantEnd> ParseGrantEnd(const IncomingMessage& message) {
  switch (message.kind()) {
    case MessageKind::kReady:
      return ParseReady(message);
    case MessageKind::kNeeds:
      return ParseNeeds(message);
    case MessageKind::kBatchError:
      return ParseBatchError(message);
    case MessageKind::kUnknownSession:
      return ParseUnknownSession(message);
    case MessageKind::kReturned:
      return ParseReturned(message);
    default:
      return absl::InternalError(absl::StrCat(
          MessageKindName(message.kind()), " has no place on a batch stream"));
  }
}

}  // namespace tributary
