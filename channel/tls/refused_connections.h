// Counts the connections and streams that this process' servers refused because
// of who the other end is, and all that its HTTP servers refused, by reason.
#ifndef TRIBUTARY_CHANNEL_TLS_REFUSED_CONNECTIONS_H_
#define TRIBUTARY_CHANNEL_TLS_REFUSED_CONNECTIONS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "common/observe/refusal_counter.h"

namespace tributary {

enum class RefusalReason {
  kNoCertificate,  // the client has none
  kUntrusted,      // of no authority in --tls-ca
  kExpired,        // or not valid yet
  kWrongName,      // no URI tributary://..., several, or a bad one
  kWrongRole,      // the role may not open that stream
  kNotTls,         // plain text to a TLS port
  kTls,            // TLS to a plain-text port
  kGivenUp,        // the client hung up in the handshake; not logged
  kTooMany,        // all places are taken
  kHostShare,      // the host has its part of the places
  kSlow,           // no handshake and request in time
  kOther,
};

// Returns "no_certificate", "untrusted", "expired", "wrong_name", "wrong_role",
// "not_tls", "tls", "given_up", "too_many", "host_share", "slow" or "other".
absl::string_view RefusalReasonName(RefusalReason reason);

// Counts for the whole process, because gRPC reports most refusals by lines of
// its one log, which name no server. Thread-safe.
class RefusedConnections {
 public:
  static RefusedConnections& OfProcess();

  // Counts one and logs `text`, at most once per 10 s and reason. Clients that
  // give up are not logged: probes of ports do so all the time.
  void Add(RefusalReason reason, absl::string_view text);
  // Counts a connection from `host` to a plain-text port if its first byte is
  // that of TLS.
  void CheckPlainText(uint8_t first_byte, absl::string_view host);
  // Returns the number of each reason, also of those without any.
  std::map<std::string, uint64_t> counts() const;

 private:
  RefusalCounter refusals_{"connection"};
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TLS_REFUSED_CONNECTIONS_H_
