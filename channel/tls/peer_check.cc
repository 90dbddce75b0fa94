#include "channel/tls/peer_check.h"

#include <openssl/x509_vfy.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/identity/certificate.h"
#include "common/identity/identity.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status Refused(RefusalReason reason, const absl::Status& why) {
  RefusedConnections::OfProcess().Add(reason, why.message());
  return why;
}

}  // namespace

absl::Status CheckClient(absl::string_view pem) {
  const auto facts = FactsOfPem(pem);
  if (!facts.ok()) {
    return Refused(
        pem.empty() ? RefusalReason::kNoCertificate : RefusalReason::kWrongName,
        facts.status());
  }
  const absl::Status valid = CheckValid(*facts, absl::Now());
  return valid.ok() ? valid : Refused(RefusalReason::kExpired, valid);
}

absl::Status CheckServer(absl::string_view pem) {
  ASSIGN_OR_RETURN(const CertificateFacts facts, FactsOfPem(pem));
  RETURN_IF_ERROR(CheckValid(facts, absl::Now()));
  if (facts.identity.role == Role::kSampler) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "its certificate says that it is ", facts.identity.ToString(),
      "; expected: tributary://sampler/NAME"));
}

RefusalReason ReasonOfVerifyError(long code) {
  return code == X509_V_ERR_CERT_HAS_EXPIRED ||
                 code == X509_V_ERR_CERT_NOT_YET_VALID
             ? RefusalReason::kExpired
             : RefusalReason::kUntrusted;
}

}  // namespace tributary
