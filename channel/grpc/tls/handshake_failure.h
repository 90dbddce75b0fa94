// Reads gRPC's words about connections that failed to come about.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_HANDSHAKE_FAILURE_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_HANDSHAKE_FAILURE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "channel/tls/refused_connections.h"

namespace tributary {

// A line of gRPC's log.
struct GrpcLogLine {
  absl::string_view file;  // the name alone
  absl::string_view text;
};

// Finds the failed handshakes of servers among the lines of gRPC 1.51. Keeps
// OpenSSL's code of the last certificate that failed, which gRPC logs in a line
// of its own before; so there is one reader for each thread that logs.
class HandshakeFailureReader {
 public:
  struct Failure {
    RefusalReason reason;
    absl::string_view text;  // a part of the line
  };
  // Returns the failure that a line reports, nullopt for all other lines and
  // for connections that the server itself ended while it shut down.
  std::optional<Failure> Read(const GrpcLogLine& line);

 private:
  int verify_code_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_HANDSHAKE_FAILURE_H_
