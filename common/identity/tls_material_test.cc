#include "common/identity/tls_material.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "absl/time/clock.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class TlsMaterialTest : public ::testing::Test {
 protected:
  // Expects that the files are refused with `code` and a text that names `file`
  // and has `text`.
  static void ExpectRefused(const TlsFiles& files, absl::StatusCode code,
                            const std::string& file, const std::string& text) {
    const absl::Status status = ReadTlsMaterial(files).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(file));
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  TestCertificates certificates_;
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST_F(TlsMaterialTest, ReadsWhoTheCertificateNames) {
  const auto material = ReadTlsMaterial(certificates_.Trainer("cora"));
  ASSERT_TRUE(material.ok()) << material.status();
  EXPECT_EQ(material->identity, (Identity{Role::kTrainer, "cora"}));
  EXPECT_GT(material->expires, absl::Now() + absl::Hours(23));
  EXPECT_LT(material->expires, absl::Now() + absl::Hours(25));
}

TEST_F(TlsMaterialTest, SeveralAuthoritiesInOneFileAreFine) {
  const TlsFiles files = certificates_.Sampler();
  TestCertificates::Replace(files.ca, certificates_.foreign_authority().pem() +
                                          certificates_.authority().pem());
  EXPECT_TRUE(ReadTlsMaterial(files).ok());
}

TEST_F(TlsMaterialTest, NewContentsAreInUseOnceTheyCouldBeUsed) {
  const TlsFiles files = certificates_.Trainer("one");
  TlsMaterial in_use;
  const auto reread = [&](const absl::Status& result) {
    return RereadTlsMaterial(files, &in_use,
                             [&](const TlsMaterial&) { return result; });
  };
  const absl::Status full = absl::ResourceExhaustedError("no descriptors");
  EXPECT_EQ(reread(full).status(), full);
  EXPECT_EQ(in_use.identity.name, "");
  EXPECT_TRUE(reread(absl::OkStatus()).value());
  EXPECT_EQ(in_use.identity.name, "one");
  // Contents that are in use already are not used again.
  EXPECT_FALSE(reread(full).value());
  TestCertificates::Replace(files.key, "no key");
  EXPECT_EQ(reread(absl::OkStatus()).status().code(), kInvalid);
  EXPECT_EQ(in_use.identity.name, "one");
}

TEST_F(TlsMaterialTest, NamesTheFileThatCannotBeRead) {
  TlsFiles files = certificates_.Sampler();
  unlink(files.key.c_str());
  ExpectRefused(files, absl::StatusCode::kNotFound, files.key, "--tls-key");
  files.ca = certificates_.folder();
  ExpectRefused(files, absl::StatusCode::kFailedPrecondition, files.ca,
                "--tls-ca");
}

TEST_F(TlsMaterialTest, NamesTheFileThatIsNotPem) {
  const TlsFiles files = certificates_.Sampler();
  TestCertificates::Replace(files.ca, "");
  ExpectRefused(files, kInvalid, files.ca, "BEGIN CERTIFICATE");
  TestCertificates::Replace(files.ca, certificates_.authority().pem());
  const std::string cert = certificates_.authority().Issue({}).cert;
  TestCertificates::Replace(files.cert, cert.substr(0, cert.size() / 2));
  ExpectRefused(files, kInvalid, files.cert, "BEGIN CERTIFICATE");
  TestCertificates::Replace(files.cert, cert + cert.substr(0, cert.size() / 2));
  ExpectRefused(files, kInvalid, files.cert, "broken certificate");
  TestCertificates::Replace(files.cert, cert);
  TestCertificates::Replace(files.key, "no key");
  ExpectRefused(files, kInvalid, files.key, "PEM block PRIVATE KEY");
}

TEST_F(TlsMaterialTest, NamesAKeyOfAnotherCertificate) {
  TlsFiles files = certificates_.Sampler();
  files.key = certificates_.Sampler().key;
  ExpectRefused(files, kInvalid, files.key, files.cert);
}

TEST_F(TlsMaterialTest, NamesACertificateThatNobodyWillTake) {
  const TlsFiles expired = certificates_.Expired();
  ExpectRefused(expired, absl::StatusCode::kFailedPrecondition, expired.cert,
                "has expired at");
  const TlsFiles unnamed = certificates_.WithoutUri();
  ExpectRefused(unnamed, kInvalid, unnamed.cert, "tributary://sampler/NAME");
  const TlsFiles two = certificates_.TwoUris();
  ExpectRefused(two, kInvalid, two.cert, "several URIs");
}

}  // namespace
}  // namespace tributary
