// Errors about one partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PARTITION_ERROR_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PARTITION_ERROR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// Returns `status` with the partition in front of its message; OK stays OK.
inline absl::Status NamePartition(const absl::Status& status,
                                  uint32_t partition) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("partition ", partition, ": ",
                                                  status.message()));
}

// FAILED_PRECONDITION: there is no other server to ask for the partition.
inline absl::Status NoPeersError(uint32_t partition) {
  return absl::FailedPreconditionError(absl::StrCat(
      "partition ", partition,
      " is not on this server, which was started without --peers and so knows "
      "no owner of it: start each server with the addresses of all as "
      "--peers"));
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_PARTITION_ERROR_H_
