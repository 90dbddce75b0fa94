#include "sampler_server/service/stream_sessions.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/service/control_stream.h"

namespace tributary {
namespace {

constexpr size_t kMaxClientName = 256;

}  // namespace

absl::Status StreamSessions::Open(const v1::OpenSession& open) {
  RETURN_IF_ERROR(CheckWireVersion(open.wire_version()));
  if (open.client().size() > kMaxClientName) {
    return absl::InvalidArgumentError(
        absl::StrCat("client name of ", open.client().size(),
                     " bytes; at most ", kMaxClientName));
  }
  if (!open.client().empty()) job_ = open.client();
  ASSIGN_OR_RETURN(Session session, PlanSession(core_->graphs, open.spec()));
  core_->sessions.Put(std::move(session));
  return absl::OkStatus();
}

absl::StatusOr<Session> StreamSessions::Find(const std::string& bytes) const {
  if (core_->draining) {
    return absl::UnavailableError("this server is draining");
  }
  if (!core_->weights.Serves(job_)) {
    return absl::PermissionDeniedError(
        absl::StrCat("job '", job_,
                     "' is not served here: the server's --job-weights do not "
                     "list it"));
  }
  Sha256Digest digest;
  if (bytes.size() != digest.size()) return Session{};
  std::memcpy(digest.data(), bytes.data(), digest.size());
  Session session = core_->sessions.Find(digest);
  if (session.plan != nullptr && session.graph->retiring) {
    return absl::UnavailableError(
        absl::StrCat("graph ", session.graph->name(), " is being retired"));
  }
  return session;
}

}  // namespace tributary
