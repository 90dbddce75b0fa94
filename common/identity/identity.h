// The identity that a certificate gives a process.
//
// A certificate names its holder by one URI among its subject alternative
// names:
//
//   tributary://sampler/NAME    a sampling server
//   tributary://trainer/JOB     a trainer of that job
//   tributary://operator/NAME   a person or a tool that looks after the fleet
#ifndef TRIBUTARY_COMMON_IDENTITY_IDENTITY_H_
#define TRIBUTARY_COMMON_IDENTITY_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

enum class Role {
  kAnonymous,  // no certificate: the connection is in plain text
  kSampler,
  kTrainer,
  kOperator,
};

struct Identity {
  Role role = Role::kAnonymous;
  std::string name;  // a trainer's job; empty for kAnonymous

  bool anonymous() const { return role == Role::kAnonymous; }
  // Returns "sampler/NAME", "trainer/JOB", "operator/NAME" or "anonymous".
  std::string ToString() const;
  // Returns the URI; requires !anonymous().
  std::string ToUri() const;
  friend bool operator==(const Identity&, const Identity&) = default;
};

// The longest NAME or JOB in bytes: that of a client in OpenSession.
inline constexpr size_t kMaxIdentityName = 256;

// Parses a URI as above. A name has letters, digits and "-._~+@" only.
// INVALID_ARGUMENT, with what is allowed, for anything else.
absl::StatusOr<Identity> ParseIdentity(absl::string_view uri);

// Returns the identity that the URIs of a certificate give. UNAUTHENTICATED if
// none of them begins with tributary://, if several do, or if it does not
// parse.
absl::StatusOr<Identity> IdentityOfCertificate(
    absl::Span<const std::string> uris);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_IDENTITY_H_
