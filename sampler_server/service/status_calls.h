// What callers may know of a server, by who they are.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_CALLS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "channel/call_server.h"
#include "channel/caller.h"
#include "common/proto/status.pb.h"
#include "sampler_server/service/service_core.h"
#include "sampler_server/service/status/status_input.h"

namespace tributary {

// Returns whether the caller may know of all jobs: everybody but trainers.
bool SeesAllJobs(const Caller& caller);

// Returns the status for the caller; see MakeServerStatus, MakeTrainerStatus.
// Of graphs it names those that the policy lets the caller read.
v1::ServerStatus StatusFor(const ServiceCore& core, const Caller& caller);

// Answers a StatusRequest.
absl::StatusOr<CallAnswer> AnswerStatus(const ServiceCore& core,
                                        const IncomingCall& call);

// Returns all budgets that streams share by caller, with what is in use now.
std::vector<BudgetState> SharedBudgetsOf(const ServiceCore& core);

// Remembers the totals of this moment, for the counts of the last minute. Call
// it every 5 s.
void SampleCounts(ServiceCore& core);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_CALLS_H_
