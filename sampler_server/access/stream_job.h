// The job that a stream belongs to.
#ifndef TRIBUTARY_SAMPLER_SERVER_ACCESS_STREAM_JOB_H_
#define TRIBUTARY_SAMPLER_SERVER_ACCESS_STREAM_JOB_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/identity/identity.h"
#include "common/runtime/mutex.h"
#include "common/text/terminal_text.h"

namespace tributary {

// Fixed for the stream: a trainer's is that of its certificate from the start.
// Other callers name a job, which is a claim in plain text; the first name
// counts, so that a stream cannot become another job from credit to credit.
// Thread-safe.
class StreamJob {
 public:
  // The job of clients that name none.
  static constexpr char kUnnamed[] = "default";

  explicit StreamJob(Identity identity)
      : identity_(std::move(identity)),
        name_(identity_.role == Role::kTrainer ? identity_.name : "") {}

  // Returns the stream's job for a client that says `claim`, which may be
  // empty. A trainer may leave its name out or say "default". PERMISSION_DENIED
  // if its certificate is of another job; INVALID_ARGUMENT if the stream has
  // another one already. Both name both.
  absl::StatusOr<std::string> Take(const std::string& claim) {
    MutexLock lock(mutex_);
    if (name_.empty()) name_ = claim.empty() ? kUnnamed : claim;
    if (claim.empty() || claim == name_) return name_;
    if (identity_.role != Role::kTrainer) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the stream names job '", TerminalLine(claim), "'; it is of job '",
          TerminalLine(name_), "' from its first message on"));
    }
    if (claim == kUnnamed) return name_;
    return absl::PermissionDeniedError(
        absl::StrCat("the stream names job '", TerminalLine(claim),
                     "'; its certificate is of ", identity_.ToString(),
                     ", allowed: '", name_, "', or no name"));
  }

  // Returns the job, or an empty text as long as none was named.
  std::string name() const {
    MutexLock lock(mutex_);
    return name_;
  }
  const Identity& identity() const { return identity_; }

 private:
  const Identity identity_;
  mutable Mutex mutex_;
  std::string name_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ACCESS_STREAM_JOB_H_
