#include "common/identity/tls_files.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

absl::Status CheckTlsFiles(const TlsFiles& files) {
  std::vector<std::string> missing;
  if (files.ca.empty()) missing.push_back("--tls-ca");
  if (files.cert.empty()) missing.push_back("--tls-cert");
  if (files.key.empty()) missing.push_back("--tls-key");
  if (missing.empty() || missing.size() == 3) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(missing, " and "),
                   " missing: TLS needs --tls-ca, --tls-cert and --tls-key"));
}

}  // namespace tributary
