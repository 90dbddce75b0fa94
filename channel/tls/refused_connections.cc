#include "channel/tls/refused_connections.h"

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr uint8_t kTlsHandshake = 22;  // the type of a client's first record

}  // namespace

absl::string_view RefusalReasonName(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kNoCertificate:
      return "no_certificate";
    case RefusalReason::kUntrusted:
      return "untrusted";
    case RefusalReason::kExpired:
      return "expired";
    case RefusalReason::kWrongName:
      return "wrong_name";
    case RefusalReason::kWrongRole:
      return "wrong_role";
    case RefusalReason::kNotTls:
      return "not_tls";
    case RefusalReason::kTls:
      return "tls";
    case RefusalReason::kGivenUp:
      return "given_up";
    case RefusalReason::kTooMany:
      return "too_many";
    case RefusalReason::kHostShare:
      return "host_share";
    case RefusalReason::kSlow:
      return "slow";
    case RefusalReason::kOther:
      return "other";
  }
  return "other";
}

RefusedConnections& RefusedConnections::OfProcess() {
  static RefusedConnections& self = *new RefusedConnections;
  return self;
}

void RefusedConnections::Add(RefusalReason reason, absl::string_view text) {
  const absl::string_view name = RefusalReasonName(reason);
  reason == RefusalReason::kGivenUp ? refusals_.Count(name)
                                    : refusals_.Add(name, text);
}

void RefusedConnections::CheckPlainText(uint8_t first_byte,
                                        absl::string_view host) {
  if (first_byte != kTlsHandshake) return;
  Add(RefusalReason::kTls,
      absl::StrCat(host,
                   " speaks TLS, and this server plain text: start it with "
                   "--tls-ca, --tls-cert and --tls-key, or the other end "
                   "without them"));
}

std::map<std::string, uint64_t> RefusedConnections::counts() const {
  auto counts = refusals_.counts();
  for (int i = 0; i <= static_cast<int>(RefusalReason::kOther); ++i) {
    counts.try_emplace(
        std::string(RefusalReasonName(static_cast<RefusalReason>(i))), 0);
  }
  return counts;
}

}  // namespace tributary
