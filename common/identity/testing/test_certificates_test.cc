// Checks the test certificates with OpenSSL's own verification.
#include "common/identity/testing/test_certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <memory>

namespace tributary {
namespace {

X509* ReadCertificate(const std::string& file) {
  BIO* bio = BIO_new_file(file.c_str(), "r");
  X509* cert = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return cert;
}

// Returns OpenSSL's error, X509_V_OK if the certificate is good.
int Verify(const TlsFiles& files) {
  X509* const ca = ReadCertificate(files.ca);
  X509* const cert = ReadCertificate(files.cert);
  X509_STORE* const store = X509_STORE_new();
  X509_STORE_add_cert(store, ca);
  X509_STORE_CTX* const context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, cert, nullptr);
  X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT);
  const int verified = X509_verify_cert(context);
  const int error = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  X509_free(cert);
  X509_free(ca);
  return verified == 1 ? X509_V_OK : error;
}

TEST(TestCertificates, AreGoodOrBadAsTheyAreCalled) {
  TestCertificates certificates;
  EXPECT_EQ(Verify(certificates.Sampler()), X509_V_OK);
  EXPECT_EQ(Verify(certificates.Trainer("a")), X509_V_OK);
  EXPECT_EQ(Verify(certificates.TwoUris()), X509_V_OK);
  EXPECT_EQ(Verify(certificates.WithoutUri()), X509_V_OK);
  EXPECT_EQ(Verify(certificates.Expired()), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(Verify(certificates.Foreign()),
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
}

TEST(TestCertificates, FilesEndWithTheObject) {
  std::string folder;
  {
    TestCertificates certificates;
    folder = certificates.folder();
    certificates.Operator();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace tributary
