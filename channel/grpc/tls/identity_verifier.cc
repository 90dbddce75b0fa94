#include "channel/grpc/tls/identity_verifier.h"

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/tls/peer_check.h"

namespace tributary {
namespace {

using grpc::experimental::CertificateVerifier;
using grpc::experimental::ExternalCertificateVerifier;
using grpc::experimental::TlsCustomVerificationCheckRequest;

// Decides by the certificate alone, at once.
class IdentityVerifier final : public ExternalCertificateVerifier {
 public:
  // Takes the other end's certificate; empty if it has none.
  using Check = std::function<absl::Status(absl::string_view pem)>;

  IdentityVerifier(std::shared_ptr<const void> held, Check check)
      : held_(std::move(held)), check_(std::move(check)) {}

  bool Verify(TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    const auto pem = request->peer_cert();
    const absl::Status checked = check_({pem.data(), pem.size()});
    *status = grpc::Status(static_cast<grpc::StatusCode>(checked.code()),
                           std::string(checked.message()));
    return true;
  }
  void Cancel(TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::shared_ptr<const void> held_;
  const Check check_;
};

}  // namespace

std::shared_ptr<CertificateVerifier> MakeClientVerifier(
    std::shared_ptr<const void> held) {
  return ExternalCertificateVerifier::Create<IdentityVerifier>(std::move(held),
                                                               CheckClient);
}

std::shared_ptr<CertificateVerifier> MakeServerVerifier(
    std::shared_ptr<const void> held,
    std::shared_ptr<AcceptedServer> accepted) {
  const auto check = [accepted = std::move(accepted)](absl::string_view pem) {
    const absl::Status checked = CheckServer(pem);
    if (!checked.ok()) {
      return absl::Status(checked.code(),
                          absl::StrCat(kServerRefused, checked.message()));
    }
    accepted->Mark();
    return checked;
  };
  return ExternalCertificateVerifier::Create<IdentityVerifier>(std::move(held),
                                                               check);
}

}  // namespace tributary
