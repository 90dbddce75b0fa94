// The job and the sessions of one trainer's batch stream.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Opens sessions, which all streams of a service share, and decides whether the
// server takes a credit for one. Belongs to the stream's strand.
class StreamSessions {
 public:
  // The job of clients that name none, which is what loaders send by default.
  static constexpr char kUnnamedJob[] = "default";

  explicit StreamSessions(std::shared_ptr<ServiceCore> core)
      : core_(std::move(core)) {}

  // Plans the session and takes the client's name as the stream's job. Errors,
  // after which the stream is to be closed: FAILED_PRECONDITION for another
  // wire version, INVALID_ARGUMENT for a name that is too long, and those of
  // PlanSession.
  absl::Status Open(const v1::OpenSession& open);

  // The job that the stream's credits are charged to.
  const std::string& job() const { return job_; }

  // Returns the session whose digest is `session`; without a plan if it is not
  // known here (the trainer may open it again) or if `session` is no digest.
  // UNAVAILABLE while the server drains or the graph is being retired,
  // PERMISSION_DENIED when the operator's weights do not serve the job.
  absl::StatusOr<Session> Find(const std::string& session) const;

 private:
  const std::shared_ptr<ServiceCore> core_;
  std::string job_ = kUnnamedJob;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_SESSIONS_H_
