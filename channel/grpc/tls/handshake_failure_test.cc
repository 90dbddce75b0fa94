// The lines are those of gRPC 1.51.1 with OpenSSL 3.0.
#include "channel/grpc/tls/handshake_failure.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

std::string Failed(const std::string& why) {
  return "Handshaking failed: UNKNOWN:" + why +
         " {file:\"./src/core/lib/security/transport/security_handshaker.cc\", "
         "file_line:393}";
}

std::optional<RefusalReason> ReasonOf(HandshakeFailureReader& reader,
                                      const std::string& why) {
  const std::string line = Failed(why);
  const auto failure = reader.Read({"chttp2_server.cc", line});
  if (!failure) return std::nullopt;
  return failure->reason;
}

constexpr char kSsl[] = "Tls handshake failed: SSL_ERROR_SSL: error:0A0000C7:";

TEST(HandshakeFailure, TellsTheReason) {
  HandshakeFailureReader reader;
  for (const auto& [text, reason] :
       {std::pair{"SSL routines::peer did not return a certificate",
                  RefusalReason::kNoCertificate},
        std::pair{"SSL routines::certificate verify failed",
                  RefusalReason::kUntrusted},
        std::pair{"SSL routines::wrong version number", RefusalReason::kNotTls},
        std::pair{"SSL routines::http request", RefusalReason::kNotTls},
        std::pair{"SSL routines::no shared cipher", RefusalReason::kOther}}) {
    EXPECT_EQ(ReasonOf(reader, std::string(kSsl) + text), reason) << text;
  }
}

TEST(HandshakeFailure, TheCodeOfTheLineBeforeTellsAnExpiredCertificate) {
  HandshakeFailureReader reader;
  const std::string verify = std::string(kSsl) + "certificate verify failed";
  EXPECT_FALSE(reader.Read(
      {"ssl_transport_security.cc", "Certificate verify failed with code 10"}));
  EXPECT_EQ(ReasonOf(reader, verify), RefusalReason::kExpired);
  EXPECT_EQ(ReasonOf(reader, verify), RefusalReason::kUntrusted);
}

TEST(HandshakeFailure, IgnoresClientsShutdownAndWhatTheVerifierCounts) {
  HandshakeFailureReader reader;
  const std::string line = Failed(std::string(kSsl) + "http request");
  EXPECT_FALSE(reader.Read({"security_handshaker.cc", line}));
  EXPECT_FALSE(ReasonOf(reader, "Custom verification check failed with error"));
  EXPECT_FALSE(ReasonOf(reader, "Server shutdown"));
}

TEST(HandshakeFailure, KeepsTheTextWithoutItsPlaceInGrpc) {
  HandshakeFailureReader reader;
  const std::string line = Failed("Handshake timed out");
  EXPECT_EQ(reader.Read({"chttp2_server.cc", line})->text,
            "UNKNOWN:Handshake timed out");
}

}  // namespace
}  // namespace tributary
