// Sessions of TLS that are resumed after their certificate has expired.
#include <gtest/gtest.h>

#include <chrono>

#include "absl/time/clock.h"
#include "channel/grpc/tls/testing/tls_fixture.h"
#include "channel/testing/tls_client.h"

namespace tributary {
namespace {

// A resumed session shows no certificate again, and each brings a ticket for
// the next one.
TEST_F(TlsTest, AnExpiredCertificateDoesNotLiveOnByResumption) {
  Serve(certificates_.Sampler());
  const uint16_t port = server_->address().port;
  CertificateSpec spec;
  spec.uris = {"tributary://trainer/cora"};
  spec.not_after = absl::Now() + absl::Seconds(4);
  const TlsFiles files = certificates_.Write(
      certificates_.authority().pem(), certificates_.authority().Issue(spec));
  TlsClientResult last = ConnectByTls(port, {files});
  ASSERT_TRUE(last.answered) << last.error;
  int resumed = 0;
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(15);
  while (last.answered && std::chrono::steady_clock::now() < limit) {
    ASSERT_NE(last.session, nullptr) << "no ticket after " << resumed;
    last = ConnectByTls(port, {files, false, last.session});
    // Each thread that passes connections on knows its own tickets alone.
    resumed += last.answered && last.resumed ? 1 : 0;
    (void)log_.WaitUntil([] { return false; }, std::chrono::milliseconds(50));
  }
  EXPECT_GT(resumed, 0);
  EXPECT_FALSE(last.answered);
  EXPECT_GE(absl::Now(), spec.not_after - absl::Seconds(1));
  EXPECT_EQ(Refused("expired"), 1);
  EXPECT_TRUE(acceptor_.accepted().empty());
}

}  // namespace
}  // namespace tributary
