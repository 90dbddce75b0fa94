#include "channel/grpc/tls/identity_verifier.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/grpc/tls/refused_connections.h"
#include "common/identity/certificate.h"
#include "common/identity/identity.h"

namespace tributary {
namespace {

using grpc::experimental::CertificateVerifier;
using grpc::experimental::ExternalCertificateVerifier;
using grpc::experimental::TlsCustomVerificationCheckRequest;

// Decides by the certificate alone, at once.
class IdentityVerifier : public ExternalCertificateVerifier {
 public:
  explicit IdentityVerifier(std::shared_ptr<const void> held)
      : held_(std::move(held)) {}

  bool Verify(TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    const auto pem = request->peer_cert();
    const absl::Status checked = Check({pem.data(), pem.size()});
    *status = grpc::Status(static_cast<grpc::StatusCode>(checked.code()),
                           std::string(checked.message()));
    return true;
  }
  void Cancel(TlsCustomVerificationCheckRequest*) override {}

 protected:
  ~IdentityVerifier() override = default;
  // `pem`: the other end's certificate; empty if it has none.
  virtual absl::Status Check(absl::string_view pem) = 0;

 private:
  const std::shared_ptr<const void> held_;
};

class ClientVerifier final : public IdentityVerifier {
 public:
  using IdentityVerifier::IdentityVerifier;

 private:
  absl::Status Check(absl::string_view pem) override {
    const auto facts = FactsOfPem(pem);
    if (!facts.ok()) {
      return Refused(pem.empty() ? RefusalReason::kNoCertificate
                                 : RefusalReason::kWrongName,
                     facts.status());
    }
    const absl::Status valid = CheckValid(*facts, absl::Now());
    return valid.ok() ? valid : Refused(RefusalReason::kExpired, valid);
  }
  static absl::Status Refused(RefusalReason reason, const absl::Status& why) {
    RefusedConnections::OfProcess().Add(reason, why.message());
    return why;
  }
};

class ServerVerifier final : public IdentityVerifier {
 public:
  ServerVerifier(std::shared_ptr<const void> held,
                 std::shared_ptr<AcceptedServer> accepted)
      : IdentityVerifier(std::move(held)), accepted_(std::move(accepted)) {}

 private:
  absl::Status Check(absl::string_view pem) override {
    const auto facts = FactsOfPem(pem);
    const absl::Status valid =
        facts.ok() ? CheckValid(*facts, absl::Now()) : facts.status();
    if (!valid.ok()) {
      return absl::UnauthenticatedError(
          absl::StrCat(kServerRefused, valid.message()));
    }
    if (facts->identity.role != Role::kSampler) {
      return absl::PermissionDeniedError(absl::StrCat(
          kServerRefused, "its certificate says that it is ",
          facts->identity.ToString(), "; expected: tributary://sampler/NAME"));
    }
    accepted_->Mark();
    return absl::OkStatus();
  }

  const std::shared_ptr<AcceptedServer> accepted_;
};

}  // namespace

std::shared_ptr<CertificateVerifier> MakeClientVerifier(
    std::shared_ptr<const void> held) {
  return ExternalCertificateVerifier::Create<ClientVerifier>(std::move(held));
}

std::shared_ptr<CertificateVerifier> MakeServerVerifier(
    std::shared_ptr<const void> held,
    std::shared_ptr<AcceptedServer> accepted) {
  return ExternalCertificateVerifier::Create<ServerVerifier>(
      std::move(held), std::move(accepted));
}

}  // namespace tributary
