#include "common/identity/certificate.h"

#include <fstream>
#include <string>

#include "absl/time/clock.h"
#include "common/identity/testing/test_certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::HasSubstr;

TEST(Certificate, SaysWhoItIsAndWhenItEnds) {
  TestCertificates certificates;
  const TlsFiles files = certificates.Trainer("cora");
  const auto facts = ReadCertificate(files.cert);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->identity, (Identity{Role::kTrainer, "cora"}));
  EXPECT_GT(facts->not_after, absl::Now() + absl::Hours(23));
  EXPECT_LT(facts->not_after, absl::Now() + absl::Hours(25));
}

TEST(Certificate, WithoutANameIsNobodys) {
  TestCertificates certificates;
  const TlsFiles files = certificates.WithoutUri();
  const auto facts = ReadCertificate(files.cert);
  EXPECT_EQ(facts.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(facts.status().message()), HasSubstr(files.cert));
}

TEST(Certificate, IsReadFromPemOnly) {
  TestCertificates certificates;
  const TlsFiles files = certificates.Trainer("cora");
  std::ofstream(files.cert) << "no certificate";
  EXPECT_EQ(ReadCertificate(files.cert).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadCertificate(files.key).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadCertificate("/no/such.pem").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
