#include "channel/grpc/tls/connect_failures.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "channel/grpc/tls/identity_verifier.h"

namespace tributary {
namespace {

// Of servers that are remembered.
constexpr size_t kMaxAddresses = 4096;
// How gRPC begins the texts of calls that found no connection.
constexpr absl::string_view kNoConnection = "failed to connect to all addr";

std::string NameOf(const ConnectingClient& client) {
  return absl::StrCat(client.identity.ToString(), " by --tls-cert ",
                      client.files.cert);
}

// Returns the refusal of our own verifier (identity_verifier.h).
absl::Status ExplainVerifier(const std::string& address, absl::string_view text,
                             const ConnectingClient& client) {
  const absl::string_view why = text.substr(text.find(kServerRefused));
  const bool denied = absl::StrContains(text, "PERMISSION_DENIED: ");
  return absl::Status(
      denied ? absl::StatusCode::kPermissionDenied
             : absl::StatusCode::kUnauthenticated,
      absl::StrCat(address, ": ", why, "; this process is ", NameOf(client)));
}

absl::Status ExplainUntrusted(const std::string& address,
                              const ConnectingClient& client) {
  return absl::UnauthenticatedError(absl::StrCat(
      address,
      ": the server's certificate has expired, is not valid yet, or is of no "
      "authority in --tls-ca ",
      client.files.ca, "; this process is ", NameOf(client)));
}

// Says nothing of the handshake: streams share an attempt to connect, of which
// one has learned whether there was one.
absl::Status ExplainEarlyClose(const std::string& address,
                               const ConnectingClient& client) {
  return absl::UnavailableError(absl::StrCat(
      address,
      ": the server, or a proxy before it, closed the connection: it is "
      "ending, has no room for more connections, or does not trust this "
      "process' certificate (its log and "
      "tributary_refused_connections_total say why); this process is ",
      NameOf(client)));
}

absl::Status ExplainPlainText(const std::string& address) {
  return absl::UnauthenticatedError(absl::StrCat(
      "the server at ", address,
      " speaks plain text, or is no Tributary server: leave out --tls-ca, "
      "--tls-cert and --tls-key, or start the server with them"));
}

}  // namespace

absl::Status ConnectFailures::Explain(const std::string& address,
                                      const absl::Status& status,
                                      const ConnectingClient& client,
                                      absl::Time now) {
  const absl::string_view text = status.message();
  const bool no_connection =
      absl::IsUnavailable(status) && absl::StrContains(text, kNoConnection);
  if (no_connection && absl::EndsWith(text, ": Socket closed")) {
    return ExplainClose(address, client, now);
  }
  if (absl::IsCancelled(status)) return status;  // says nothing of the server
  {
    MutexLock lock(mutex_);
    closes_.erase(address);
  }
  if (!no_connection) {
    // The handshake of this connection says nothing of the next one's.
    if (client.accepted != nullptr) client.accepted->Take();
    return status;
  }
  if (absl::StrContains(text, kServerRefused)) {
    return ExplainVerifier(address, text, client);
  }
  if (absl::StrContains(text, "certificate verify failed")) {
    return ExplainUntrusted(address, client);
  }
  if (absl::StrContains(text, "wrong version number")) {
    return ExplainPlainText(address);
  }
  return status;
}

absl::Status ConnectFailures::ExplainClose(const std::string& address,
                                           const ConnectingClient& client,
                                           absl::Time now) {
  if (client.files.empty()) {
    return absl::UnavailableError(absl::StrCat(
        "the server at ", address,
        " closed the connection at once: it is ending, has no room for more "
        "connections, or wants TLS (--tls-ca, --tls-cert and --tls-key)"));
  }
  if (client.accepted == nullptr || !client.accepted->Take()) {
    return ExplainEarlyClose(address, client);
  }
  if (now > client.expires) {
    return absl::UnauthenticatedError(absl::StrCat(
        address, ": the server closed the connection: the certificate of ",
        NameOf(client), " has expired at ",
        absl::FormatTime(client.expires, absl::UTCTimeZone())));
  }
  bool refused = false;
  {
    MutexLock lock(mutex_);
    if (closes_.size() >= kMaxAddresses) closes_.clear();
    Closes& closes = closes_[address];
    if (closes.count++ == 0) closes.first = now;
    refused = closes.count >= kCloses && now - closes.first >= kClosesSpan;
  }
  const std::string what = absl::StrCat(
      address,
      ": the server closed the connection right after the TLS handshake, as it "
      "does to a certificate that it does not trust (its log and "
      "tributary_refused_connections_total say why); this process is ",
      NameOf(client));
  return refused ? absl::UnauthenticatedError(what)
                 : absl::UnavailableError(what);
}

}  // namespace tributary
