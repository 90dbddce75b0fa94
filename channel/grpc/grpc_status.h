// Statuses between gRPC and Abseil: the codes are the same numbers.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// A status travels in trailers, of which gRPC takes 8 KiB with each odd byte
// written as three.
inline constexpr size_t kMaxStatusTextBytes = 2048;

inline grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()),
      std::string(status.message().substr(0, kMaxStatusTextBytes)));
}

// `where` is named first in the text.
inline absl::Status FromGrpcStatus(const grpc::Status& status,
                                   const std::string& where) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      absl::StrCat(where, ": ", status.error_message()));
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_
