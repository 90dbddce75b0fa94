// Converts statuses between gRPC and Abseil, whose codes are the same numbers.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// A status travels in trailers. gRPC limits them to 8 KiB and encodes each byte
// that is not printable ASCII as three.
inline constexpr size_t kMaxStatusTextBytes = 2048;

inline grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()),
      std::string(status.message().substr(0, kMaxStatusTextBytes)));
}

// Returns the status with `where` at the beginning of the message.
inline absl::Status FromGrpcStatus(const grpc::Status& status,
                                   const std::string& where) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      absl::StrCat(where, ": ", status.error_message()));
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_STATUS_H_
