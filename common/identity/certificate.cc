#include "common/identity/certificate.h"

#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "common/text/status.h"

namespace tributary {
namespace {

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

// Returns the URIs among the subject alternative names.
std::vector<std::string> UrisOf(const X509& certificate) {
  std::vector<std::string> uris;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
          &certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      static_cast<size_t>(ASN1_STRING_length(uri)));
  }
  return uris;
}

}  // namespace

absl::StatusOr<CertificateFacts> FactsOfCertificate(const X509& certificate) {
  CertificateFacts facts;
  ASSIGN_OR_RETURN(facts.identity, IdentityOfCertificate(UrisOf(certificate)));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) {
    return absl::UnauthenticatedError("the certificate's end is no time");
  }
  facts.not_after = absl::FromTM(end, absl::UTCTimeZone());
  return facts;
}

}  // namespace tributary
