#include "channel/grpc/tls/connect_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr char kAddress[] = "10.0.0.1:50051";
constexpr absl::Time kStart = absl::FromUnixSeconds(1'000'000);

class ConnectFailuresTest : public ::testing::Test {
 protected:
  absl::Status Explain(const absl::Status& status, absl::Duration at = {}) {
    return failures_.Explain(kAddress, status, client_, kStart + at);
  }
  static absl::Status NoConnection(const std::string& why) {
    return absl::UnavailableError(
        "10.0.0.1:50051: failed to connect to all addresses; last error: "
        "UNAVAILABLE: ipv4:10.0.0.1:50051: " +
        why);
  }
  ConnectFailures failures_;
  ConnectingClient client_{{"ca.pem", "cert.pem", "key.pem"},
                           {Role::kTrainer, "cora"},
                           kStart + absl::Hours(1)};
};

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;
constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;

TEST_F(ConnectFailuresTest, OneCloseIsNoRefusalThreeOverTwoSecondsAre) {
  const auto close = NoConnection("Socket closed");
  EXPECT_EQ(Explain(close).code(), kUnavailable);
  EXPECT_EQ(Explain(close, absl::Seconds(1)).code(), kUnavailable);
  // Streams that shared one attempt.
  EXPECT_EQ(Explain(close, absl::Seconds(1)).code(), kUnavailable);
  const absl::Status refused = Explain(close, absl::Seconds(2));
  EXPECT_EQ(refused.code(), kUnauthenticated);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("trainer/cora"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("cert.pem"));
}

TEST_F(ConnectFailuresTest, ARestartBetweenClosesBeginsAnew) {
  const auto close = NoConnection("Socket closed");
  EXPECT_EQ(Explain(close).code(), kUnavailable);
  EXPECT_EQ(Explain(close).code(), kUnavailable);
  const auto restarting = NoConnection("Connection refused");
  EXPECT_EQ(Explain(restarting, absl::Seconds(2)), restarting);
  EXPECT_EQ(Explain(close, absl::Seconds(3)).code(), kUnavailable);
  // A stream that the client gave up says nothing.
  (void)Explain(absl::CancelledError(""), absl::Seconds(4));
  EXPECT_EQ(Explain(close, absl::Seconds(5)).code(), kUnavailable);
  EXPECT_EQ(Explain(close, absl::Seconds(6)).code(), kUnauthenticated);
}

TEST_F(ConnectFailuresTest, AnExpiredCertificateOfOurOwnIsSaidAtOnce) {
  const absl::Status why =
      Explain(NoConnection("Socket closed"), absl::Hours(2));
  EXPECT_EQ(why.code(), kUnauthenticated);
  EXPECT_THAT(std::string(why.message()), HasSubstr("has expired"));
}

TEST_F(ConnectFailuresTest, InPlainTextACloseGivesAHint) {
  client_ = {};
  for (int i = 0; i < 5; ++i) {
    const absl::Status why =
        Explain(NoConnection("Socket closed"), absl::Seconds(i));
    EXPECT_EQ(why.code(), kUnavailable);
    EXPECT_THAT(std::string(why.message()), HasSubstr("wants TLS"));
  }
}

TEST_F(ConnectFailuresTest, LeavesOtherEndsAlone) {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::AbortedError("drains"),
        absl::UnavailableError("10.0.0.1:50051: Socket closed"),
        NoConnection("Connection refused")}) {
    EXPECT_EQ(Explain(status), status);
  }
}

}  // namespace
}  // namespace tributary
