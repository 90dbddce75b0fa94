// Follows the file of an AccessPolicy.
#ifndef TRIBUTARY_SAMPLER_SERVER_ACCESS_POLICY_FILE_H_
#define TRIBUTARY_SAMPLER_SERVER_ACCESS_POLICY_FILE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/observe/metrics.h"
#include "common/runtime/executor.h"
#include "sampler_server/access/access_policy.h"

namespace tributary {

// Reads the file each second, and passes the policy on whenever its text has
// changed. A new text that cannot be read or parsed changes nothing: it is
// logged once, and the gauge tributary_policy_broken is 1 until the file is
// sound again.
//
// Create with std::make_shared. Start before anything else, Stop on the strand;
// a pending timer does not keep the object alive.
class PolicyFile : public std::enable_shared_from_this<PolicyFile> {
 public:
  static constexpr absl::Duration kPeriod = absl::Seconds(1);
  using OnPolicy = std::function<void(std::shared_ptr<const AccessPolicy>)>;

  // `metrics` outlives it.
  PolicyFile(std::string path, std::shared_ptr<Strand> strand,
             Metrics* metrics);

  // Reads the file, calls `on_policy` in this call, and again on the strand
  // whenever it has changed. Errors of ReadFile and AccessPolicy::Parse, after
  // which nothing is followed.
  absl::Status Start(OnPolicy on_policy);
  void Stop();

  // Returns whether the file cannot be read or parsed now. Thread-safe.
  bool broken() const { return broken_.Value() > 0; }

 private:
  absl::Status Read();
  void ReadAgainLater();

  const std::string path_;
  const std::shared_ptr<Strand> strand_;
  Gauge broken_;
  OnPolicy on_policy_;
  std::string text_;     // of the latest attempt to parse
  std::string problem_;  // that was logged; empty: none
  bool stopped_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ACCESS_POLICY_FILE_H_
