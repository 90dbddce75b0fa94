// Says in a client's words why a connection to a server did not come about.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_CONNECT_FAILURES_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_CONNECT_FAILURES_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/grpc/tls/identity_verifier.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The client's certificate, and what its channel has seen. Empty files: plain
// text.
struct ConnectingClient {
  TlsFiles files;
  Identity identity;
  absl::Time expires = absl::InfiniteFuture();
  // The mark of the stream's channel; null: no server was accepted.
  std::shared_ptr<AcceptedServer> accepted = nullptr;
};

// Translates the statuses with which gRPC 1.51 ends the streams of a client.
//
// A server that refuses a client's certificate says nothing: it closes the
// connection right after the handshake, as does one that dies at that moment.
// So such a close is UNAVAILABLE at first. It is taken for a refusal,
// UNAUTHENTICATED, when the same server has done it kCloses times over at least
// kClosesSpan and nothing else has happened in between. Closes without a
// handshake, as by a server that is full or a proxy without one, are
// UNAVAILABLE however often; so is what further streams learn of a close that
// was counted. Thread-safe.
class ConnectFailures {
 public:
  static constexpr int kCloses = 3;
  static constexpr absl::Duration kClosesSpan = absl::Seconds(2);

  // Returns what `status`, the end of a stream to `address`, means:
  //   UNAUTHENTICATED    no trusted certificate on one side, or plain text
  //   there PERMISSION_DENIED  the server's certificate does not name a sampler
  // or `status` itself, which may gain a hint. `status` names the address.
  absl::Status Explain(const std::string& address, const absl::Status& status,
                       const ConnectingClient& client, absl::Time now);

 private:
  struct Closes {
    int count = 0;
    absl::Time first;
  };
  absl::Status ExplainClose(const std::string& address,
                            const ConnectingClient& client, absl::Time now);

  Mutex mutex_;
  // Counts of addresses that closed connections and have not been reached
  // since.
  std::map<std::string, Closes> closes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_CONNECT_FAILURES_H_
