#include "trainer_client/core/certificate_job.h"

#include "absl/strings/str_cat.h"
#include "common/identity/tls_material.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<std::string> JobOf(
    const RemoteDistSamplingWorkerOptions& options) {
  const std::string& key = options.worker_key;
  if (options.tls.empty()) return key;
  ASSIGN_OR_RETURN(const TlsMaterial own, ReadTlsMaterial(options.tls));
  const Identity& identity = own.identity;
  // Servers say what another role may do.
  if (identity.role != Role::kTrainer || key == identity.name) return key;
  if (key == RemoteDistSamplingWorkerOptions().worker_key) return identity.name;
  return absl::PermissionDeniedError(
      absl::StrCat("worker_key is ", key, ", but the certificate ",
                   options.tls.cert, " is of the job ", identity.name,
                   "; allowed: that job, or no worker_key"));
}

}  // namespace tributary
