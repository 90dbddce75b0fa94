#include "channel/grpc/tls/identity_verifier.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "channel/tls/refused_connections.h"
#include "common/identity/testing/test_authority.h"

namespace tributary {
namespace {

using grpc::experimental::CertificateVerifier;

class IdentityVerifierTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { grpc_init(); }
  static void TearDownTestSuite() { grpc_shutdown(); }

  std::string Certificate(const std::string& uri, absl::Duration begins,
                          absl::Duration ends) const {
    CertificateSpec spec;
    spec.uris = {uri};
    spec.not_before = absl::Now() + begins;
    spec.not_after = absl::Now() + ends;
    return authority_.Issue(spec).cert;
  }
  // Asks as gRPC does for a session that TLS has resumed, whose certificate TLS
  // does not look at again. Null: it hands over none.
  static grpc::StatusCode Verify(CertificateVerifier& verifier,
                                 const char* pem) {
    grpc_tls_custom_verification_check_request raw{};
    raw.peer_info.peer_cert = pem;
    grpc::experimental::TlsCustomVerificationCheckRequest request(&raw);
    grpc::Status status;
    EXPECT_TRUE(verifier.Verify(
        &request, [](const grpc::Status&) {}, &status));
    return status.error_code();
  }

  const TestAuthority authority_{"authority"};
  const absl::Duration hour_ = absl::Hours(1);
};

TEST_F(IdentityVerifierTest, ServersTakeOnlyClientsThatAreValidNow) {
  const auto verifier = MakeClientVerifier(nullptr);
  const std::string uri = "tributary://trainer/cora";
  auto& refused = RefusedConnections::OfProcess();
  const auto good = Certificate(uri, -hour_, hour_);
  EXPECT_EQ(Verify(*verifier, good.c_str()), grpc::StatusCode::OK);
  const auto before = refused.counts();
  const auto late = Certificate(uri, -2 * hour_, -hour_);
  EXPECT_EQ(Verify(*verifier, late.c_str()), grpc::StatusCode::UNAUTHENTICATED);
  const auto early = Certificate(uri, hour_, 2 * hour_);
  EXPECT_EQ(Verify(*verifier, early.c_str()),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(refused.counts()["expired"], before.at("expired") + 2);
  EXPECT_EQ(Verify(*verifier, nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Verify(*verifier, ""), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(refused.counts()["no_certificate"],
            before.at("no_certificate") + 2);
  const auto nobody = Certificate("spiffe://x/y", -hour_, hour_);
  EXPECT_EQ(Verify(*verifier, nobody.c_str()),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(refused.counts()["wrong_name"], before.at("wrong_name") + 1);
}

TEST_F(IdentityVerifierTest, ClientsTakeAndMarkOnlySamplersThatAreValidNow) {
  const auto accepted = std::make_shared<AcceptedServer>();
  const auto verifier = MakeServerVerifier(nullptr, accepted);
  const std::string uri = "tributary://sampler/fleet";
  const auto late = Certificate(uri, -2 * hour_, -hour_);
  EXPECT_EQ(Verify(*verifier, late.c_str()), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Verify(*verifier, nullptr), grpc::StatusCode::UNAUTHENTICATED);
  for (const char* other :
       {"tributary://trainer/a", "tributary://operator/a"}) {
    const auto valid = Certificate(other, -hour_, hour_);
    EXPECT_EQ(Verify(*verifier, valid.c_str()),
              grpc::StatusCode::PERMISSION_DENIED)
        << other;
  }
  EXPECT_FALSE(accepted->Take());
  const auto good = Certificate(uri, -hour_, hour_);
  EXPECT_EQ(Verify(*verifier, good.c_str()), grpc::StatusCode::OK);
  EXPECT_TRUE(accepted->Take());
  EXPECT_FALSE(accepted->Take());
}

}  // namespace
}  // namespace tributary
