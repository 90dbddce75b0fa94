#include "channel/grpc/tls/identity_verifier.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "channel/grpc/tls/refused_connections.h"
#include "common/identity/identity.h"

namespace tributary {
namespace {

using grpc::experimental::CertificateVerifier;
using grpc::experimental::ExternalCertificateVerifier;
using grpc::experimental::TlsCustomVerificationCheckRequest;

// Decides by the identity alone, at once.
class IdentityVerifier : public ExternalCertificateVerifier {
 public:
  explicit IdentityVerifier(std::shared_ptr<const void> held)
      : held_(std::move(held)) {}

  bool Verify(TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    std::vector<std::string> uris;
    for (const auto& uri : request->uri_names()) {
      uris.emplace_back(uri.data(), uri.size());
    }
    const absl::Status checked = Check(IdentityOfCertificate(uris));
    *status = grpc::Status(static_cast<grpc::StatusCode>(checked.code()),
                           std::string(checked.message()));
    return true;
  }
  void Cancel(TlsCustomVerificationCheckRequest*) override {}

 protected:
  ~IdentityVerifier() override = default;
  virtual absl::Status Check(absl::StatusOr<Identity> identity) = 0;

 private:
  const std::shared_ptr<const void> held_;
};

class ClientVerifier final : public IdentityVerifier {
 public:
  using IdentityVerifier::IdentityVerifier;

 private:
  absl::Status Check(absl::StatusOr<Identity> identity) override {
    if (identity.ok()) return absl::OkStatus();
    RefusedConnections::OfProcess().Add(RefusalReason::kWrongName,
                                        identity.status().message());
    return identity.status();
  }
};

class ServerVerifier final : public IdentityVerifier {
 public:
  using IdentityVerifier::IdentityVerifier;

 private:
  absl::Status Check(absl::StatusOr<Identity> identity) override {
    if (!identity.ok()) {
      return absl::UnauthenticatedError(
          absl::StrCat(kServerRefused, identity.status().message()));
    }
    if (identity->role == Role::kSampler) return absl::OkStatus();
    return absl::PermissionDeniedError(absl::StrCat(
        kServerRefused, "its certificate says that it is ",
        identity->ToString(), "; expected: tributary://sampler/NAME"));
  }
};

}  // namespace

std::shared_ptr<CertificateVerifier> MakeClientVerifier(
    std::shared_ptr<const void> held) {
  return ExternalCertificateVerifier::Create<ClientVerifier>(std::move(held));
}

std::shared_ptr<CertificateVerifier> MakeServerVerifier(
    std::shared_ptr<const void> held) {
  return ExternalCertificateVerifier::Create<ServerVerifier>(std::move(held));
}

}  // namespace tributary
