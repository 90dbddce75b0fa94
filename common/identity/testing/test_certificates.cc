#include "common/identity/testing/test_certificates.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/identity/identity.h"

namespace tributary {

TestCertificates::TestCertificates() {
  folder_ = std::filesystem::temp_directory_path() / "tributary.tls.XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
}

TestCertificates::~TestCertificates() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

TlsFiles TestCertificates::Sampler(const std::string& name) {
  return WithUris({Identity{Role::kSampler, name}.ToUri()});
}

TlsFiles TestCertificates::Trainer(const std::string& job) {
  return WithUris({Identity{Role::kTrainer, job}.ToUri()});
}

TlsFiles TestCertificates::Operator(const std::string& name) {
  return WithUris({Identity{Role::kOperator, name}.ToUri()});
}

TlsFiles TestCertificates::WithUris(std::vector<std::string> uris) {
  CertificateSpec spec;
  spec.uris = std::move(uris);
  return Write(authority_.pem(), authority_.Issue(spec));
}

TlsFiles TestCertificates::TwoUris() {
  return WithUris({"tributary://trainer/one", "tributary://sampler/two"});
}

TlsFiles TestCertificates::Expired(const std::string& uri) {
  CertificateSpec spec;
  spec.uris = {uri};
  spec.not_before = absl::Now() - absl::Hours(2);
  spec.not_after = absl::Now() - absl::Hours(1);
  return Write(authority_.pem(), authority_.Issue(spec));
}

TlsFiles TestCertificates::Foreign(const std::string& uri) {
  CertificateSpec spec;
  spec.uris = {uri};
  return Write(authority_.pem(), foreign_.Issue(spec));
}

TlsFiles TestCertificates::Write(absl::string_view ca, const PemPair& pair) {
  const std::string stem = absl::StrCat(folder_, "/", written_++);
  const TlsFiles files{stem + ".ca.pem", stem + ".cert.pem", stem + ".key.pem"};
  Replace(files.ca, ca);
  Replace(files.cert, pair.cert);
  Replace(files.key, pair.key);
  return files;
}

void TestCertificates::Replace(const std::string& file,
                               absl::string_view text) {
  const std::string fresh = file + ".new";
  std::ofstream(fresh) << text;
  std::filesystem::rename(fresh, file);
}

}  // namespace tributary
