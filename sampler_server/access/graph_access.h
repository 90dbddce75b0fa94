// Decides which graphs a caller may read, by the policy of the moment.
#ifndef TRIBUTARY_SAMPLER_SERVER_ACCESS_GRAPH_ACCESS_H_
#define TRIBUTARY_SAMPLER_SERVER_ACCESS_GRAPH_ACCESS_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "common/identity/identity.h"
#include "common/runtime/mutex.h"
#include "common/text/terminal_text.h"
#include "sampler_server/access/access_policy.h"

namespace tributary {

// Holds the policy, which may be replaced at any time. Without one every job
// may read every graph. Samplers and operators may read all graphs; a trainer
// those of its certificate's job; an anonymous caller those of the job that it
// claims, and all as long as it has named none, so that in plain text a policy
// guards against mistakes only. Thread-safe.
class GraphAccess {
 public:
  void Set(std::shared_ptr<const AccessPolicy> policy) {
    MutexLock lock(mutex_);
    policy_.swap(policy);
  }
  std::shared_ptr<const AccessPolicy> policy() const {
    MutexLock lock(mutex_);
    return policy_;
  }

  // `job` is the name that the stream's job was fixed to; empty: none yet.
  bool MayRead(const Identity& identity, const std::string& job,
               std::string_view graph, const Sha256Digest& content) const {
    const auto policy = this->policy();
    return policy == nullptr || Decide(*policy, identity, job, graph, content);
  }
  // PERMISSION_DENIED, naming job, graph and policy.
  absl::Status Check(const Identity& identity, const std::string& job,
                     std::string_view graph,
                     const Sha256Digest& content) const {
    const auto policy = this->policy();
    if (policy == nullptr || Decide(*policy, identity, job, graph, content)) {
      return absl::OkStatus();
    }
    return absl::PermissionDeniedError(absl::StrCat(
        "job '", TerminalLine(JobOf(identity, job)), "' may not read graph ",
        VersionedName(graph, content), ": the server's policy ",
        policy->where(), " does not list it"));
  }

 private:
  static const std::string& JobOf(const Identity& identity,
                                  const std::string& job) {
    return identity.role == Role::kTrainer ? identity.name : job;
  }
  static bool Decide(const AccessPolicy& policy, const Identity& identity,
                     const std::string& job, std::string_view graph,
                     const Sha256Digest& content) {
    if (identity.role == Role::kSampler || identity.role == Role::kOperator) {
      return true;
    }
    if (identity.anonymous() && job.empty()) return true;
    return policy.MayRead(JobOf(identity, job), graph, content);
  }

  mutable Mutex mutex_;
  std::shared_ptr<const AccessPolicy> policy_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ACCESS_GRAPH_ACCESS_H_
