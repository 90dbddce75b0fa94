#include "channel/grpc/tls/handshake_failure.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "channel/tls/peer_check.h"

namespace tributary {
namespace {

RefusalReason ReasonOf(absl::string_view text, int verify_code) {
  if (absl::StrContains(text, "peer did not return a certificate")) {
    return RefusalReason::kNoCertificate;
  }
  if (absl::StrContains(text, "certificate verify failed")) {
    return ReasonOfVerifyError(verify_code);
  }
  if (absl::StrContains(text, "wrong version number") ||
      absl::StrContains(text, "http request")) {
    return RefusalReason::kNotTls;
  }
  if (absl::StrContains(text, "Socket closed") ||
      absl::StrContains(text, "Connection reset")) {
    return RefusalReason::kGivenUp;
  }
  return RefusalReason::kOther;
}

}  // namespace

std::optional<HandshakeFailureReader::Failure> HandshakeFailureReader::Read(
    const GrpcLogLine& line) {
  absl::string_view text = line.text;
  if (absl::ConsumePrefix(&text, "Certificate verify failed with code ")) {
    (void)absl::SimpleAtoi(text, &verify_code_);
    return std::nullopt;
  }
  // Clients' handshakes are reported from other files.
  if (line.file != "chttp2_server.cc" ||
      !absl::ConsumePrefix(&text, "Handshaking failed: ")) {
    return std::nullopt;
  }
  const int code = std::exchange(verify_code_, 0);
  // The verifier has counted its own refusals, with their reason.
  if (absl::StrContains(text, "Custom verification check failed") ||
      absl::StrContains(text, "hutdown")) {
    return std::nullopt;
  }
  return Failure{ReasonOf(text, code), text.substr(0, text.find(" {"))};
}

}  // namespace tributary
