#include "common/identity/identity.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::string_view kScheme = "tributary://";
// The most of a URI that an error message shows.
constexpr size_t kMaxShownBytes = 100;

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kAnonymous:
      return "anonymous";
    case Role::kSampler:
      return "sampler";
    case Role::kTrainer:
      return "trainer";
    case Role::kOperator:
      return "operator";
  }
  return "";
}

std::optional<Role> RoleNamed(absl::string_view name) {
  for (const Role role : {Role::kSampler, Role::kTrainer, Role::kOperator}) {
    if (name == RoleName(role)) return role;
  }
  return std::nullopt;
}

bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxIdentityName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  absl::string_view("-._~+@").find(c) !=
                      absl::string_view::npos;
         });
}

}  // namespace

std::string Identity::ToString() const {
  if (anonymous()) return "anonymous";
  return absl::StrCat(RoleName(role), "/", name);
}

std::string Identity::ToUri() const {
  return absl::StrCat(kScheme, ToString());
}

absl::StatusOr<Identity> ParseIdentity(absl::string_view uri) {
  if (absl::StartsWith(uri, kScheme)) {
    const absl::string_view rest = uri.substr(kScheme.size());
    const size_t slash = rest.find('/');
    const auto role = RoleNamed(rest.substr(0, slash));
    if (role && slash != rest.npos && IsName(rest.substr(slash + 1))) {
      return Identity{*role, std::string(rest.substr(slash + 1))};
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::CHexEscape(uri.substr(0, kMaxShownBytes)),
      "' names nobody; allowed: tributary://sampler/NAME, "
      "tributary://trainer/JOB, tributary://operator/NAME, with letters, "
      "digits and -._~+@, at most ",
      kMaxIdentityName, " bytes"));
}

absl::StatusOr<Identity> IdentityOfCertificate(
    absl::Span<const std::string> uris) {
  std::optional<Identity> found;
  for (const std::string& uri : uris) {
    if (!absl::StartsWith(uri, kScheme)) continue;
    if (found) {
      return absl::UnauthenticatedError(
          "the certificate has several URIs tributary://...; one is allowed");
    }
    auto identity = ParseIdentity(uri);
    if (!identity.ok()) {
      return absl::UnauthenticatedError(
          absl::StrCat("the certificate's URI ", identity.status().message()));
    }
    found = *std::move(identity);
  }
  if (found) return *std::move(found);
  return absl::UnauthenticatedError(
      "the certificate has no URI tributary://ROLE/NAME among its subject "
      "alternative names");
}

}  // namespace tributary
