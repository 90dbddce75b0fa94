// One unary call of a foreign client, with raw bytes on both sides.
#ifndef TRIBUTARY_CHANNEL_GRPC_TESTING_UNARY_CALL_H_
#define TRIBUTARY_CHANNEL_GRPC_TESTING_UNARY_CALL_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "common/fleet/address.h"

namespace tributary {

// Returns the status and, if it is OK, appends the answer to `response`; it
// takes at most 10 s.
grpc::Status CallUnary(const Address& server, const std::string& method,
                       const std::string& request, std::string* response,
                       std::shared_ptr<grpc::ChannelCredentials> credentials =
                           grpc::InsecureChannelCredentials());

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TESTING_UNARY_CALL_H_
