// Counts and logs what callers were refused.
#ifndef TRIBUTARY_SAMPLER_SERVER_ACCESS_CALLER_REFUSALS_H_
#define TRIBUTARY_SAMPLER_SERVER_ACCESS_CALLER_REFUSALS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/caller.h"
#include "common/observe/log.h"
#include "common/observe/metrics.h"
#include "common/text/terminal_text.h"

namespace tributary {

// Thread-safe. A default-constructed object logs and counts nothing; else the
// counters are registered with `metrics`, which outlives it.
class CallerRefusals {
 public:
  enum Reason {
    kPolicy,    // a graph that the job may not read
    kJob,       // another job's name
    kQueue,     // more places in the queue than the caller's share
    kFarewell,  // by who may not end a server
    kAttempt,   // more attempts or tensors than the caller's share
    kNumReasons,
  };

  CallerRefusals() = default;
  explicit CallerRefusals(Metrics& metrics) {
    for (int reason = 0; reason < kNumReasons; ++reason) {
      counts_[reason] = metrics.AddCounter(
          "tributary_refused_total", "What callers were refused, by reason",
          {{"reason", NameOf(static_cast<Reason>(reason))}});
    }
    logs_ = true;
  }

  uint64_t count(Reason reason) const {
    return static_cast<uint64_t>(counts_[reason].Value());
  }

  // Counts a refusal, and logs it at most once per 10 s for each reason and
  // identity: by the job of a trainer, the host of others, so that connecting
  // again does not help.
  void Note(Reason reason, const Caller& caller, const absl::Status& why) {
    counts_[reason].Add();
    if (!logs_) return;
    LogRepeated(LogLevel::kWarning, absl::StrCat("refused ", NameOf(reason)),
                caller.share_key(),
                absl::StrCat("refused (", NameOf(reason), ") ",
                             caller.identity.ToString(), " at ",
                             TerminalLine(caller.address), ": ",
                             TerminalLine(why.message())));
  }

 private:
  static const char* NameOf(Reason reason) {
    switch (reason) {
      case kPolicy:
        return "policy";
      case kJob:
        return "job";
      case kQueue:
        return "queue";
      case kFarewell:
        return "farewell";
      case kAttempt:
        return "attempt";
      case kNumReasons:
        break;
    }
    return "other";
  }

  Counter counts_[kNumReasons];
  bool logs_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ACCESS_CALLER_REFUSALS_H_
