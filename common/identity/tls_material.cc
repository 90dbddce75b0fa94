#include "common/identity/tls_material.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/identity/certificate.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// More than any bundle of authorities has; a device without end is refused.
constexpr size_t kMaxFileBytes = size_t{1} << 20;

struct Free {
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Certificate = std::unique_ptr<X509, Free>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Free>;

// Leaves no error of ours for the next user of OpenSSL on this thread, which
// would take it for its own.
class ErrorQueueCleared {
 public:
  ErrorQueueCleared() { ERR_clear_error(); }
  ~ErrorQueueCleared() { ERR_clear_error(); }
};

absl::StatusOr<std::string> ReadFile(const char* flag,
                                     const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  char part[8192];
  while (in && text.size() <= kMaxFileBytes) {
    in.read(part, sizeof(part));
    text.append(part, static_cast<size_t>(in.gcount()));
  }
  if (text.empty() && errno != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat(flag, " ", file, ": cannot be read"));
  }
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " ", file, ": over ", kMaxFileBytes,
                     " bytes; expected: PEM certificates or a key"));
  }
  return text;
}

std::unique_ptr<BIO, Free> Reader(const std::string& text) {
  return std::unique_ptr<BIO, Free>(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Returns the certificates of a PEM text, with what precedes them skipped.
absl::StatusOr<std::vector<Certificate>> Certificates(const char* flag,
                                                      const std::string& file,
                                                      const std::string& text) {
  const auto reader = Reader(text);
  std::vector<Certificate> found;
  ERR_clear_error();
  while (X509* cert =
             PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    found.emplace_back(cert);
  }
  // The end of the text is reported as a missing start line.
  const bool whole =
      ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!whole || found.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " ", file, ": ",
                     found.empty() ? "has no certificate"
                                   : "has a broken certificate after the first",
                     "; expected: PEM text with -----BEGIN CERTIFICATE-----"));
  }
  return found;
}

// Answers OpenSSL's question for a passphrase, which would ask the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

absl::Status CheckKey(const TlsFiles& files, const std::string& text,
                      X509* cert) {
  const auto reader = Reader(text);
  const PrivateKey key(
      PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tls-key ", files.key,
        ": has no private key; expected: a PEM block PRIVATE KEY without a "
        "passphrase"));
  }
  if (X509_check_private_key(cert, key.get()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tls-key ", files.key, ": is not the key of the certificate in ",
        files.cert, "; expected: the pair that was issued together"));
  }
  return absl::OkStatus();
}

// Says who the certificate names, once it is found valid now.
absl::StatusOr<CertificateFacts> CheckFacts(const std::string& file,
                                            const X509& cert) {
  auto facts = FactsOfCertificate(cert);
  if (!facts.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tls-cert ", file, ": ", facts.status().message(),
                     "; expected: one URI tributary://sampler/NAME, "
                     "tributary://trainer/JOB or tributary://operator/NAME"));
  }
  const absl::Status valid = CheckValid(*facts, absl::Now());
  if (valid.ok()) return facts;
  return absl::FailedPreconditionError(
      absl::StrCat("--tls-cert ", file, ": ", valid.message(),
                   "; expected: a certificate that is valid now"));
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsFiles& files) {
  const ErrorQueueCleared cleared;
  RETURN_IF_ERROR(CheckTlsFiles(files));
  TlsMaterial material;
  ASSIGN_OR_RETURN(material.ca, ReadFile("--tls-ca", files.ca));
  ASSIGN_OR_RETURN(material.cert, ReadFile("--tls-cert", files.cert));
  ASSIGN_OR_RETURN(material.key, ReadFile("--tls-key", files.key));
  RETURN_IF_ERROR(Certificates("--tls-ca", files.ca, material.ca).status());
  ASSIGN_OR_RETURN(const auto chain,
                   Certificates("--tls-cert", files.cert, material.cert));
  X509* const own = chain.front().get();
  RETURN_IF_ERROR(CheckKey(files, material.key, own));
  ASSIGN_OR_RETURN(CertificateFacts facts, CheckFacts(files.cert, *own));
  material.identity = std::move(facts.identity);
  material.expires = facts.not_after;
  return material;
}

absl::StatusOr<bool> RereadTlsMaterial(
    const TlsFiles& files, TlsMaterial* in_use,
    absl::FunctionRef<absl::Status(const TlsMaterial&)> use) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsMaterial(files));
  if (material.SameTextsAs(*in_use)) return false;
  RETURN_IF_ERROR(use(material));
  *in_use = std::move(material);
  return true;
}

}  // namespace tributary
