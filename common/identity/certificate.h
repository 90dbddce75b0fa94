// The facts about its holder that an X.509 certificate states.
#ifndef TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_
#define TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_

#include <openssl/x509.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/identity/identity.h"

namespace tributary {

struct CertificateFacts {
  Identity identity;
  absl::Time not_after;   // when it ends
  absl::Time not_before;  // when it begins
};

// Does not check who has signed the certificate. UNAUTHENTICATED, as
// IdentityOfCertificate(), for one that names nobody.
absl::StatusOr<CertificateFacts> FactsOfCertificate(const X509& certificate);
// As above, of the first certificate in a PEM text; UNAUTHENTICATED if it has
// none.
absl::StatusOr<CertificateFacts> FactsOfPem(absl::string_view pem);

// UNAUTHENTICATED if the certificate is not valid at `now`.
absl::Status CheckValid(const CertificateFacts& facts, absl::Time now);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_
