#include "common/identity/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

// Returns the URIs among the subject alternative names.
std::vector<std::string> UrisOf(const X509& certificate) {
  std::vector<std::string> uris;
  const std::unique_ptr<GENERAL_NAMES, Free> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      static_cast<size_t>(ASN1_STRING_length(uri)));
  }
  return uris;
}

absl::StatusOr<absl::Time> TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) {
    return absl::UnauthenticatedError(
        "the certificate does not say when it is valid");
  }
  return absl::FromTM(parts, absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<CertificateFacts> FactsOfCertificate(const X509& certificate) {
  CertificateFacts facts;
  ASSIGN_OR_RETURN(facts.identity, IdentityOfCertificate(UrisOf(certificate)));
  ASSIGN_OR_RETURN(facts.not_after, TimeOf(X509_get0_notAfter(&certificate)));
  ASSIGN_OR_RETURN(facts.not_before, TimeOf(X509_get0_notBefore(&certificate)));
  return facts;
}

absl::StatusOr<CertificateFacts> FactsOfPem(absl::string_view pem) {
  const std::unique_ptr<BIO, Free> reader(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const std::unique_ptr<X509, Free> certificate(
      PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) {
    ERR_clear_error();
    return absl::UnauthenticatedError("no certificate");
  }
  return FactsOfCertificate(*certificate);
}

absl::Status CheckValid(const CertificateFacts& facts, absl::Time now) {
  if (now >= facts.not_before && now <= facts.not_after) {
    return absl::OkStatus();
  }
  const bool early = now < facts.not_before;
  return absl::UnauthenticatedError(absl::StrCat(
      "the certificate ", early ? "is not valid before " : "has expired at ",
      absl::FormatTime(early ? facts.not_before : facts.not_after,
                       absl::UTCTimeZone())));
}

}  // namespace tributary
