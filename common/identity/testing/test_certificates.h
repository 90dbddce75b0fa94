// Files of certificates for tests of TLS: good ones of each role, and one of
// each kind that must be refused.
#ifndef TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_CERTIFICATES_H_
#define TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_CERTIFICATES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/identity/testing/test_authority.h"
#include "common/identity/tls_files.h"

namespace tributary {

// Makes an authority of its own and files in a temporary folder, which the
// destructor removes. Each call makes a new certificate and key. In all files
// `ca` is this authority, so a Foreign() process trusts the others but is not
// trusted. Not thread-safe.
//
//   TestCertificates certificates;
//   server_options.tls = certificates.Sampler();
//   client_options.tls = certificates.Trainer("cora");
class TestCertificates {
 public:
  TestCertificates();
  ~TestCertificates();
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  const TestAuthority& authority() const { return authority_; }
  const TestAuthority& foreign_authority() const { return foreign_; }
  const std::string& folder() const { return folder_; }

  TlsFiles Sampler(const std::string& name = "fleet");
  TlsFiles Trainer(const std::string& job);
  TlsFiles Operator(const std::string& name = "ann");
  // Returns files of a certificate with these URIs.
  TlsFiles WithUris(std::vector<std::string> uris);
  TlsFiles WithoutUri() { return WithUris({}); }
  TlsFiles TwoUris();
  TlsFiles Expired(const std::string& uri = "tributary://trainer/expired");
  TlsFiles Foreign(const std::string& uri = "tributary://trainer/foreign");

  // Writes three files and returns their names.
  TlsFiles Write(absl::string_view ca, const PemPair& pair);
  // Replaces a file at once, so that no reader sees a part of it.
  static void Replace(const std::string& file, absl::string_view text);

 private:
  const TestAuthority authority_{"tributary test authority"};
  const TestAuthority foreign_{"foreign authority"};
  std::string folder_;
  int written_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_CERTIFICATES_H_
