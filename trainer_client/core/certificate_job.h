// The job that a trainer has on servers.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CERTIFICATE_JOB_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CERTIFICATE_JOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "trainer_client/core/options.h"

namespace tributary {

// Returns `worker_key`, or with TLS the job of a trainer's certificate, which
// servers hold it to. PERMISSION_DENIED if `worker_key` names another one and
// is not the default, which the servers would say, too; the errors of
// ReadTlsMaterial(). Requires Validate().
absl::StatusOr<std::string> JobOf(
    const RemoteDistSamplingWorkerOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CERTIFICATE_JOB_H_
