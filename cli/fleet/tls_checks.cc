#include "cli/fleet/tls_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/fleet/tls_probe.h"
#include "common/identity/tls_material.h"

namespace tributary {
namespace {

using Level = Check::Level;

constexpr absl::Duration kSoon = absl::Hours(24 * 7);

Check CheckOwn(const TlsFiles& tls) {
  const auto own = ReadTlsMaterial(tls);
  if (own.ok()) {
    return CheckCertificate("own certificate", {own->identity, own->expires},
                            absl::Now());
  }
  return {
      Level::kFail, "own certificate", own.status().ToString(),
      "give a certificate of an operator (./dev certs makes one for tests)"};
}

Check CheckServerTls(const Address& address, const TlsFiles& tls,
                     absl::Duration timeout) {
  const std::string what = absl::StrCat("certificate of ", address.ToString());
  const auto facts = ProbeTls(address, tls, timeout);
  if (facts.ok()) return CheckCertificate(what, *facts, absl::Now());
  return {Level::kWarn, what, facts.status().ToString(), ""};
}

}  // namespace

Check CheckCertificate(const std::string& what, const CertificateFacts& facts,
                       absl::Time now) {
  const std::string day =
      absl::FormatTime("%Y-%m-%d", facts.not_after, absl::UTCTimeZone());
  const absl::Duration left = facts.not_after - now;
  Check check{Level::kOk, what,
              absl::StrCat(facts.identity.ToString(), ", ends on ", day), ""};
  if (left > kSoon) return check;
  check.level = left > absl::ZeroDuration() ? Level::kWarn : Level::kFail;
  check.detail = absl::StrCat(
      facts.identity.ToString(),
      left > absl::ZeroDuration() ? ", ends soon, on " : ", has ended on ",
      day);
  check.remedy = "replace the files: they are read again without a restart";
  return check;
}

std::vector<Check> CheckTls(const TlsFiles& tls,
                            const std::vector<ServerAnswer>& answers,
                            absl::Duration timeout) {
  if (tls.empty()) {
    const bool any = std::any_of(
        answers.begin(), answers.end(),
        [](const ServerAnswer& answer) { return answer.reports.ok(); });
    if (!any) return {};
    return {{Level::kOk, "tls", "none: the servers speak plain text", ""}};
  }
  std::vector<Check> checks = {CheckOwn(tls)};
  for (const ServerAnswer& answer : answers) {
    if (!answer.reports.ok() || answer.address.is_unix()) continue;
    checks.push_back(CheckServerTls(answer.address, tls, timeout));
  }
  return checks;
}

}  // namespace tributary
