#include "channel/grpc/tls/refused_connections.h"

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"

namespace tributary {

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
  {
    MutexLock lock(mutex_);
    ++counts_[static_cast<size_t>(reason)];
  }
  if (reason == RefusalReason::kGivenUp) return;
  const absl::string_view name = RefusalReasonName(reason);
  LogRepeated(LogLevel::kWarning, absl::StrCat("refused connection: ", name),
              absl::StrCat("refused a connection (", name, "): ", text));
}

std::map<std::string, uint64_t> RefusedConnections::counts() const {
  std::map<std::string, uint64_t> counts;
  MutexLock lock(mutex_);
  for (size_t i = 0; i < kReasons; ++i) {
    counts.emplace(RefusalReasonName(static_cast<RefusalReason>(i)),
                   counts_[i]);
  }
  return counts;
}

}  // namespace tributary
