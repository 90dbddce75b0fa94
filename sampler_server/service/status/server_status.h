// Makes what a server tells of itself.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_SERVER_STATUS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_SERVER_STATUS_H_

#include <string>
#include <vector>

#include "common/proto/status.pb.h"
#include "sampler_server/service/status/status_input.h"

namespace tributary {

inline constexpr size_t kMaxStatusJobs = 128;

// Returns the whole status, for operators, samplers and callers in plain text.
v1::ServerStatus MakeServerStatus(const StatusInput& input);

// Returns what a trainer of `job` may see: its job, the graphs of the input,
// and troubles that name no other job and no other caller. Memory and queue are
// of all jobs together and left out.
v1::ServerStatus MakeTrainerStatus(const StatusInput& input,
                                   const std::string& job);

// Returns the jobs with a place in the input, by name. Jobs that are not listed
// are at most JobActivity::kMaxUnlisted; further ones, and the least busy ones
// above kMaxStatusJobs, are summed as JobActivity::kOthers.
std::vector<v1::JobStatus> MakeJobStatus(const StatusInput& input);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_SERVER_STATUS_H_
