// A certificate authority for tests, which makes keys and certificates when the
// test runs.
#ifndef TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_AUTHORITY_H_
#define TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_AUTHORITY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tributary {

struct CertificateSpec {
  std::string common_name = "test";
  std::vector<std::string> uris;  // subject alternative names
  std::vector<std::string> dns_names;
  absl::Time not_before = absl::Now() - absl::Hours(1);
  absl::Time not_after = absl::Now() + absl::Hours(24);
};

// A certificate and its private key, in PEM.
struct PemPair {
  std::string cert;
  std::string key;
};

// Holds an authority's key (P-256) and its self-signed certificate. Ends the
// process if OpenSSL fails, as tests may. Thread-safe.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& common_name);
  ~TestAuthority();

  // Returns the authority's own certificate.
  const std::string& pem() const { return pem_; }
  // Returns a certificate with a new key, good for servers and clients.
  PemPair Issue(const CertificateSpec& spec) const;

 private:
  struct Key;
  std::unique_ptr<Key> key_;
  std::string pem_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_TESTING_TEST_AUTHORITY_H_
