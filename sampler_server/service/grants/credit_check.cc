#include "sampler_server/service/grants/credit_check.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/link_columns.h"
#include "common/text/status.h"
#include "common/trace/trace_fields.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxTimeoutMs = uint64_t{24} * 3600 * 1000;
constexpr uint64_t kMaxId = std::numeric_limits<int64_t>::max();

absl::Status Refuse(std::string_view field, uint64_t value,
                    std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("credit: ", std::string(field),
                                                 " is ", value, "; ",
                                                 std::string(allowed)));
}

absl::Status CheckNodeColumns(const v1::Credit& credit, size_t payload_bytes,
                              const SamplingPlan& plan) {
  const uint64_t inputs = credit.input_number_size();
  if (credit.links() != 0 || payload_bytes != 0) {
    return Refuse("number of links", credit.links(),
                  absl::StrCat("0, and no payload (it has ", payload_bytes,
                               " bytes): the session's inputs are nodes"));
  }
  if (credit.original_id_size() != credit.input_number_size()) {
    return Refuse("number of original ids", credit.original_id_size(),
                  absl::StrCat("there are ", inputs, " input numbers"));
  }
  const bool timed = plan.input_time == InputTimeMode::kGiven;
  if (credit.input_time_size() != (timed ? credit.input_number_size() : 0)) {
    return Refuse("number of input times", credit.input_time_size(),
                  timed ? absl::StrCat("there are ", inputs, " inputs")
                        : "the specification gives inputs none");
  }
  return absl::OkStatus();
}

absl::Status CheckLinkColumns(const v1::Credit& credit) {
  const int in_header = credit.input_number_size() + credit.original_id_size() +
                        credit.input_time_size();
  if (in_header == 0) return absl::OkStatus();
  return Refuse("number of inputs in the header", in_header,
                "0: the session's inputs are links, in the payload");
}

absl::Status CheckSizes(const v1::Credit& credit, size_t payload_bytes,
                        const SamplingPlan& plan, size_t room_bytes) {
  const bool links = plan.takes_links();
  const uint64_t inputs = links ? credit.links() : credit.input_number_size();
  if (inputs == 0 || inputs > plan.batch_size) {
    return Refuse("number of inputs", inputs,
                  absl::StrCat("1 to batch_size = ", plan.batch_size));
  }
  RETURN_IF_ERROR(links ? CheckLinkColumns(credit)
                        : CheckNodeColumns(credit, payload_bytes, plan));
  if (credit.max_bytes() == 0) {
    return Refuse("max_bytes", 0, "a batch needs room");
  }
  if (room_bytes != 0 && room_bytes < credit.max_bytes()) {
    return Refuse("max_bytes", credit.max_bytes(),
                  absl::StrCat("the room has ", room_bytes));
  }
  if (!credit.trace_id().empty() && credit.trace_id().size() != kTraceIdBytes) {
    return Refuse("size of trace_id", credit.trace_id().size(),
                  absl::StrCat("0 or ", kTraceIdBytes, " bytes"));
  }
  if (credit.timeout_ms() == 0 || credit.timeout_ms() > kMaxTimeoutMs) {
    return Refuse("timeout_ms", credit.timeout_ms(),
                  absl::StrCat("1 to ", kMaxTimeoutMs));
  }
  return absl::OkStatus();
}

absl::Status CheckNumber(uint64_t number, const SamplingPlan& plan) {
  if (number < plan.input_count) return absl::OkStatus();
  return Refuse("input number", number,
                absl::StrCat("the list has ", plan.input_count));
}

absl::Status TakeNodes(const v1::Credit& credit, const SamplingPlan& plan,
                       BatchRequest* request) {
  for (uint64_t number : credit.input_number()) {
    RETURN_IF_ERROR(CheckNumber(number, plan));
  }
  for (uint64_t id : credit.original_id()) {
    if (id <= kMaxId) continue;
    return Refuse("original id", id, absl::StrCat("at most ", kMaxId));
  }
  request->input_number.assign(credit.input_number().begin(),
                               credit.input_number().end());
  request->original_id.assign(credit.original_id().begin(),
                              credit.original_id().end());
  request->input_time.assign(credit.input_time().begin(),
                             credit.input_time().end());
  return absl::OkStatus();
}

// The task looks the end nodes up, and checks them.
absl::Status TakeLinks(const v1::Credit& credit,
                       absl::Span<const uint8_t> payload,
                       const SamplingPlan& plan, BatchRequest* request) {
  const LinkCreditShape shape{plan.input_time == InputTimeMode::kGiven,
                              plan.edge_ids, plan.label, plan.negatives};
  ASSIGN_OR_RETURN(LinkCredit links,
                   DecodeLinkCredit(payload, credit.links(), shape));
  for (int64_t number : links.input_number) {
    RETURN_IF_ERROR(CheckNumber(static_cast<uint64_t>(number), plan));
  }
  request->input_number = std::move(links.input_number);
  request->links = std::move(links.links);
  request->input_time = std::move(links.time);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BatchRequest> MakeBatchRequest(
    const v1::Credit& credit, absl::Span<const uint8_t> payload,
    std::shared_ptr<const SamplingPlan> plan, size_t room_bytes,
    absl::Time now) {
  RETURN_IF_ERROR(CheckSizes(credit, payload.size(), *plan, room_bytes));
  BatchRequest request;
  RETURN_IF_ERROR(plan->takes_links()
                      ? TakeLinks(credit, payload, *plan, &request)
                      : TakeNodes(credit, *plan, &request));
  request.key = {plan->session, credit.epoch(), credit.index()};
  request.plan = std::move(plan);
  request.max_bytes = credit.max_bytes();
  request.deadline = now + absl::Milliseconds(credit.timeout_ms());
  return request;
}

absl::StatusOr<std::shared_ptr<const TrainerRows>> TrainerRowsOf(
    const v1::Credit& credit, const HotLists& lists, size_t types) {
  if (!credit.has_held()) return nullptr;
  const v1::HeldRows& held = credit.held();
  if (held.list_digest().size() != sizeof(Sha256Digest)) {
    return Refuse("size of the hot list's digest", held.list_digest().size(),
                  absl::StrCat("it has ", sizeof(Sha256Digest), " bytes"));
  }
  if (static_cast<size_t>(held.num_rows_size()) > types) {
    return Refuse("number of node types", held.num_rows_size(),
                  absl::StrCat("the graph has ", types));
  }
  for (const auto& list : lists) {
    if (!std::equal(list->digest().begin(), list->digest().end(),
                    held.list_digest().begin(), [](uint8_t a, char b) {
                      return a == static_cast<uint8_t>(b);
                    })) {
      continue;
    }
    auto rows = std::make_shared<TrainerRows>();
    rows->list = list;
    rows->num_rows.assign(held.num_rows().begin(), held.num_rows().end());
    rows->num_rows.resize(types);
    return rows;
  }
  return nullptr;
}

uint64_t InputBytes(const BatchRequest& request) {
  const LinkColumns& links = request.links;
  const size_t types = request.trainer_rows == nullptr
                           ? 0
                           : request.trainer_rows->num_rows.size();
  return (request.input_number.size() + request.original_id.size() +
          request.input_time.size() + links.source.size() +
          links.destination.size() + links.edge_id.size() +
          links.negative.size()) *
             sizeof(int64_t) +
         links.label.size() + types * sizeof(uint32_t);
}

uint64_t ReservationFor(const GraphSchema& schema, const BatchRequest& request,
                        uint64_t budget) {
  const uint64_t wanted = TaskBytes(schema, request);
  return request.max_bytes <= budget / 2 ? std::min(wanted, budget) : wanted;
}

}  // namespace tributary
