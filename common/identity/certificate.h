// Reads what an X.509 certificate says of its holder.
#ifndef TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_
#define TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_

#include <openssl/x509.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/identity/identity.h"

namespace tributary {

struct CertificateFacts {
  Identity identity;
  absl::Time not_after;  // when it ends
};

// Returns the URIs among the subject alternative names.
std::vector<std::string> UrisOfCertificate(const X509& certificate);

// UNAUTHENTICATED, as IdentityOfCertificate(), for one that names nobody.
absl::StatusOr<CertificateFacts> FactsOfCertificate(const X509& certificate);

// Reads the first certificate of the PEM file `path`, without checking who has
// signed it. The system's error, with the path, for a file that cannot be read;
// INVALID_ARGUMENT for one without a certificate; else the errors of
// FactsOfCertificate().
absl::StatusOr<CertificateFacts> ReadCertificate(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_CERTIFICATE_H_
