#include "channel/grpc/tls/connect_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
  // As a stream of its own attempt, whose handshake took place.
  absl::Status ExplainClose(absl::Duration at = {}) {
    client_.accepted->Mark();
    return Explain(NoConnection("Socket closed"), at);
  }
  ConnectFailures failures_;
  ConnectingClient client_{{"ca.pem", "cert.pem", "key.pem"},
                           {Role::kTrainer, "cora"},
                           kStart + absl::Hours(1),
                           std::make_shared<AcceptedServer>()};
};

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;
constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;

TEST_F(ConnectFailuresTest, OneCloseIsNoRefusalThreeOverTwoSecondsAre) {
  const absl::Status first = ExplainClose();
  EXPECT_EQ(first.code(), kUnavailable);
  EXPECT_THAT(std::string(first.message()), HasSubstr("after the TLS hand"));
  EXPECT_EQ(ExplainClose(absl::Seconds(1)).code(), kUnavailable);
  EXPECT_EQ(ExplainClose(absl::Seconds(1)).code(), kUnavailable);
  const absl::Status refused = ExplainClose(absl::Seconds(2));
  EXPECT_EQ(refused.code(), kUnauthenticated);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("trainer/cora"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("cert.pem"));
}

// A server that is full closes so, or a proxy before a dead one. Streams that
// share an attempt with a handshake count once for it.
TEST_F(ConnectFailuresTest, ClosesWithoutAHandshakeAreNeverARefusal) {
  EXPECT_EQ(ExplainClose().code(), kUnavailable);
  for (int i = 0; i < 10; ++i) {
    const absl::Status why =
        Explain(NoConnection("Socket closed"), absl::Seconds(i));
    EXPECT_EQ(why.code(), kUnavailable);
    EXPECT_THAT(std::string(why.message()), HasSubstr("has no room"));
    EXPECT_THAT(std::string(why.message()), Not(HasSubstr("handshake")));
  }
  client_.accepted = nullptr;
  EXPECT_EQ(Explain(NoConnection("Socket closed"), absl::Hours(2)).code(),
            kUnavailable);
}

// A connection that broke after it was used is not a refusal of the next one.
TEST_F(ConnectFailuresTest, AnOldHandshakeDoesNotCount) {
  client_.accepted->Mark();
  (void)Explain(absl::UnavailableError("10.0.0.1:50051: Socket closed"));
  EXPECT_FALSE(client_.accepted->Take());
}

TEST_F(ConnectFailuresTest, ARestartBetweenClosesBeginsAnew) {
  EXPECT_EQ(ExplainClose().code(), kUnavailable);
  EXPECT_EQ(ExplainClose().code(), kUnavailable);
  const auto restarting = NoConnection("Connection refused");
  EXPECT_EQ(Explain(restarting, absl::Seconds(2)), restarting);
  EXPECT_EQ(ExplainClose(absl::Seconds(3)).code(), kUnavailable);
  // A stream that the client gave up says nothing.
  (void)Explain(absl::CancelledError(""), absl::Seconds(4));
  EXPECT_EQ(ExplainClose(absl::Seconds(5)).code(), kUnavailable);
  EXPECT_EQ(ExplainClose(absl::Seconds(6)).code(), kUnauthenticated);
}

TEST_F(ConnectFailuresTest, AnExpiredCertificateOfOurOwnIsSaidAtOnce) {
  const absl::Status why = ExplainClose(absl::Hours(2));
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
