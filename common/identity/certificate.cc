#include "common/identity/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Free<BIO_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

absl::StatusOr<absl::Time> ToTime(const ASN1_TIME* time) {
  std::tm fields{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &fields) != 1) {
    return absl::InvalidArgumentError("the certificate's end is no time");
  }
  return absl::FromTM(fields, absl::UTCTimeZone());
}

absl::StatusOr<CertificateFacts> FactsOfPem(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const X509Ptr certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (certificate == nullptr) {
    return absl::InvalidArgumentError(
        "no certificate in it; allowed: a file in the PEM format");
  }
  return FactsOfCertificate(*certificate);
}

}  // namespace

std::vector<std::string> UrisOfCertificate(const X509& certificate) {
  std::vector<std::string> uris;
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (names == nullptr) return uris;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      static_cast<size_t>(ASN1_STRING_length(uri)));
  }
  return uris;
}

absl::StatusOr<CertificateFacts> FactsOfCertificate(const X509& certificate) {
  CertificateFacts facts;
  ASSIGN_OR_RETURN(facts.identity,
                   IdentityOfCertificate(UrisOfCertificate(certificate)));
  ASSIGN_OR_RETURN(facts.not_after, ToTime(X509_get0_notAfter(&certificate)));
  return facts;
}

absl::StatusOr<CertificateFacts> ReadCertificate(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string pem, ReadFile(path, kMaxFileBytes));
  auto facts = FactsOfPem(pem);
  if (facts.ok()) return facts;
  return absl::Status(facts.status().code(),
                      absl::StrCat(path, ": ", facts.status().message()));
}

}  // namespace tributary
