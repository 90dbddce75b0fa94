#include "sampler_server/service/credit_check.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxTimeoutMs = 24 * 60 * 60 * 1000;
constexpr uint64_t kMaxId = std::numeric_limits<int64_t>::max();

absl::Status Refuse(std::string_view field, uint64_t value,
                    std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("credit: ", std::string(field),
                                                 " is ", value, "; ",
                                                 std::string(allowed)));
}

absl::Status CheckSizes(const v1::Credit& credit, const SamplingPlan& plan,
                        size_t room_bytes) {
  const uint64_t inputs = credit.input_number_size();
  if (inputs == 0 || inputs > plan.batch_size) {
    return Refuse("number of inputs", inputs,
                  absl::StrCat("1 to batch_size = ", plan.batch_size));
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
  if (credit.max_bytes() == 0) {
    return Refuse("max_bytes", 0, "a batch needs room");
  }
  if (room_bytes != 0 && room_bytes < credit.max_bytes()) {
    return Refuse("max_bytes", credit.max_bytes(),
                  absl::StrCat("the room has ", room_bytes));
  }
  if (credit.timeout_ms() == 0 || credit.timeout_ms() > kMaxTimeoutMs) {
    return Refuse("timeout_ms", credit.timeout_ms(),
                  absl::StrCat("1 to ", kMaxTimeoutMs));
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const v1::Credit& credit, const SamplingPlan& plan) {
  for (uint64_t number : credit.input_number()) {
    if (number < plan.input_count) continue;
    return Refuse("input number", number,
                  absl::StrCat("the list has ", plan.input_count));
  }
  for (uint64_t id : credit.original_id()) {
    if (id <= kMaxId) continue;
    return Refuse("original id", id, absl::StrCat("at most ", kMaxId));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BatchRequest> MakeBatchRequest(
    const v1::Credit& credit, std::shared_ptr<const SamplingPlan> plan,
    size_t room_bytes, absl::Time now) {
  RETURN_IF_ERROR(CheckSizes(credit, *plan, room_bytes));
  RETURN_IF_ERROR(CheckInputs(credit, *plan));
  BatchRequest request;
  request.key = {plan->session, credit.epoch(), credit.index()};
  request.plan = std::move(plan);
  request.input_number.assign(credit.input_number().begin(),
                              credit.input_number().end());
  request.original_id.assign(credit.original_id().begin(),
                             credit.original_id().end());
  request.input_time.assign(credit.input_time().begin(),
                            credit.input_time().end());
  request.max_bytes = credit.max_bytes();
  request.deadline = now + absl::Milliseconds(credit.timeout_ms());
  return request;
}

uint64_t ReservationFor(const GraphSchema& schema, const BatchRequest& request,
                        uint64_t budget) {
  const uint64_t wanted = TaskBytes(schema, request);
  return request.max_bytes <= budget / 2 ? std::min(wanted, budget) : wanted;
}

}  // namespace tributary
