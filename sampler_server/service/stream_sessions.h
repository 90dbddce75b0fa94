// The job and the sessions of one trainer's batch stream.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/access/stream_job.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Opens sessions, which the streams of a job share, and decides whether the
// server takes a credit for one. Belongs to the stream's strand, but for Plan.
//
// Opening is in three steps, since planning takes time:
//
//   ASSIGN_OR_RETURN(bool opened, sessions.Begin(open));
//   if (!opened) sessions.End(open.spec(), sessions.Plan(open.spec()));
class StreamSessions {
 public:
  StreamSessions(std::shared_ptr<ServiceCore> core, CallerPtr caller)
      : core_(std::move(core)),
        caller_(std::move(caller)),
        job_(caller_->identity) {}

  // Takes the client's name as the stream's job (StreamJob), and returns
  // whether nothing is left to do: the session is open already, or denied, for
  // a name of another job than the certificate's. Errors, after which the
  // stream is to be closed: FAILED_PRECONDITION for another wire version,
  // INVALID_ARGUMENT for a name that is too long or another one than before.
  absl::StatusOr<bool> Begin(const v1::OpenSession& open);
  // Plans the session. Errors of PlanSession; PERMISSION_DENIED, naming job,
  // graph and policy, if the job may not read its graph. On any thread; the
  // job stays the same meanwhile.
  absl::StatusOr<Session> Plan(const std::string& spec) const;
  // Opens the session that was planned. PERMISSION_DENIED is kept for the
  // session's credits; after any other error the stream is to be closed.
  absl::Status End(const std::string& spec, absl::StatusOr<Session> planned);

  // The job that the stream's credits are charged to.
  std::string job() const;
  const CallerPtr& caller() const { return caller_; }

  // Returns the session whose digest is `session`; without a plan if it was not
  // opened by the job or is not known any more (the trainer may open it again),
  // if the stream has no job yet, or if `session` is no digest. UNAVAILABLE
  // while the server drains or the graph is being retired, PERMISSION_DENIED
  // when the operator's weights do not serve the job or the policy does not let
  // it read the graph.
  absl::StatusOr<Session> Find(const std::string& session);

 private:
  // A session that was opened and denied: its credits are refused for good, so
  // that the trainer's user learns why.
  struct Denied {
    Sha256Digest session;
    absl::Status why;
    std::shared_ptr<const AccessPolicy> policy;  // that denied it; null: none
  };
  static constexpr size_t kMaxDenied = 8;

  void Deny(const Sha256Digest& session, absl::Status why,
            std::shared_ptr<const AccessPolicy> policy);
  SessionOwner owner() const { return {caller_->share_key(), job()}; }
  absl::Status FindDenied(const Sha256Digest& session);

  const std::shared_ptr<ServiceCore> core_;
  const CallerPtr caller_;
  StreamJob job_;
  std::list<Denied> denied_;  // the latest first
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_
