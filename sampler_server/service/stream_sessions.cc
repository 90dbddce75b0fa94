#include "sampler_server/service/stream_sessions.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/hash/sha256.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/service/visible_graphs.h"

namespace tributary {
namespace {

constexpr size_t kMaxClientName = 256;

}  // namespace

std::string StreamSessions::job() const {
  std::string name = job_.name();
  return name.empty() ? StreamJob::kUnnamed : name;
}

absl::StatusOr<bool> StreamSessions::Begin(const v1::OpenSession& open) {
  RETURN_IF_ERROR(CheckWireVersion(open.wire_version()));
  if (open.client().size() > kMaxClientName) {
    return absl::InvalidArgumentError(
        absl::StrCat("client name of ", open.client().size(),
                     " bytes; at most ", kMaxClientName));
  }
  const Sha256Digest session = Sha256Of(open.spec());
  const absl::Status taken = job_.Take(open.client()).status();
  if (!taken.ok()) {
    core_->refusals->Note(CallerRefusals::kJob, *caller_, taken);
    if (!absl::IsPermissionDenied(taken)) return taken;
    Deny(session, taken, nullptr);
    return true;
  }
  std::erase_if(
      denied_, [&](const Denied& denied) { return denied.session == session; });
  return core_->sessions.Keep(owner(), session).plan != nullptr;
}

void StreamSessions::Deny(const Sha256Digest& session, absl::Status why,
                          std::shared_ptr<const AccessPolicy> policy) {
  denied_.push_front({session, std::move(why), std::move(policy)});
  if (denied_.size() > kMaxDenied) denied_.pop_back();
}

absl::StatusOr<Session> StreamSessions::Plan(const std::string& spec) const {
  return PlanSession(
      [this](const std::string& digest) {
        return ReadableContent(*core_, *caller_, job(), digest);
      },
      spec);
}

absl::Status StreamSessions::End(const std::string& spec,
                                 absl::StatusOr<Session> planned) {
  if (planned.ok()) {
    core_->sessions.Put(owner(), *std::move(planned));
    return absl::OkStatus();
  }
  if (!absl::IsPermissionDenied(planned.status())) return planned.status();
  Deny(Sha256Of(spec), planned.status(), core_->access.policy());
  return absl::OkStatus();
}

// Once the policy has changed, the session counts as unknown, so that the
// trainer opens it again.
absl::Status StreamSessions::FindDenied(const Sha256Digest& session) {
  for (auto it = denied_.begin(); it != denied_.end(); ++it) {
    if (it->session != session) continue;
    if (it->policy == nullptr || it->policy == core_->access.policy()) {
      return it->why;
    }
    denied_.erase(it);
    break;
  }
  return absl::OkStatus();
}

absl::StatusOr<Session> StreamSessions::Find(const std::string& bytes) {
  if (core_->draining) {
    return absl::UnavailableError("this server is draining");
  }
  const std::string job = this->job();
  if (!core_->weights.Serves(job)) {
    return absl::PermissionDeniedError(
        absl::StrCat("job '", TerminalLine(job),
                     "' is not served here: the server's --job-weights do not "
                     "list it"));
  }
  Sha256Digest digest;
  if (bytes.size() != digest.size()) return Session{};
  if (job_.name().empty()) return Session{};
  std::memcpy(digest.data(), bytes.data(), digest.size());
  RETURN_IF_ERROR(FindDenied(digest));
  Session session = core_->sessions.Find(owner(), digest);
  if (session.plan == nullptr) return session;
  RETURN_IF_ERROR(CheckMayRead(*core_, *caller_, job, *session.graph));
  if (session.graph->retiring) {
    return absl::UnavailableError(
        absl::StrCat("graph ", session.graph->name(), " is being retired"));
  }
  return session;
}

}  // namespace tributary
