// Decides when the ranks of one attempt must end, and what becomes of the job.
// No clock, no process and no network of its own.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_ATTEMPT_STATE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_ATTEMPT_STATE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

// The exit code of a job ended by SIGINT or SIGTERM, after a checkpoint if it
// keeps any.
inline constexpr int kInterruptedExitCode = 130;
// The exit code of a rank that ended together with others, after a checkpoint:
// one of these, or a server that holds their rows, was asked to end
// (EX_TEMPFAIL of sysexits.h): no failure. Also of a launcher that ends because
// that of node 0 was asked to end.
inline constexpr int kDrainedExitCode = 75;
// The exit code of a rank that ended because it lost the others, for a cause
// that one of them has (EX_PROTOCOL of sysexits.h).
inline constexpr int kPeersLostExitCode = 76;
// The exit code of a run that no new start can help (EX_CONFIG of sysexits.h):
// a graph that is not there, a checkpoint of another run.
inline constexpr int kPermanentExitCode = 78;

enum class EndKind {
  kFailed,       // a rank failed: the ranks may be started again
  kLeft,         // a machine was asked to end, and is started again elsewhere
  kLost,         // a machine is gone: nothing can be started again
  kInterrupted,  // by SIGINT or SIGTERM
};

// Why an attempt ends before all ranks have returned 0.
struct AttemptEnd {
  EndKind kind = EndKind::kFailed;
  int exit_code = 1;
  std::string why;

  // A text of one line that ParseAttemptEnd() reads, for other machines.
  std::string ToText() const;
  // Whether ranks have ended for the sake of what was asked to end.
  bool drained() const {
    return kind == EndKind::kFailed && exit_code == kDrainedExitCode;
  }
  // Whether the ranks were asked to end, and write a checkpoint meanwhile.
  bool asked() const {
    return kind == EndKind::kInterrupted || kind == EndKind::kLeft ||
           exit_code == kDrainedExitCode;
  }
  // Whether it counts as one of the restarts that --max-restarts allows.
  bool counts() const { return !drained() && kind != EndKind::kLeft; }
  // Of the ends that the machines report of an attempt, the one of the highest
  // number is that of all: a rank that fails because another one failed, or a
  // machine left, must not hide that.
  int priority() const;
};
// INVALID_ARGUMENT if `text` is none of AttemptEnd::ToText().
absl::StatusOr<AttemptEnd> ParseAttemptEnd(const std::string& text);

// How long ranks have between SIGTERM and SIGKILL.
struct EndGraces {
  absl::Duration asked = absl::Seconds(25);  // AttemptEnd::asked()
  absl::Duration failed = absl::Seconds(10);
};

// The end of one attempt on one machine: what caused it, and which signals the
// machine's ranks must get at which time. The first cause counts, but one of a
// higher priority replaces one after which ranks would be started again: what
// another one has caused, and what ends the job. Not thread-safe.
class AttemptState {
 public:
  explicit AttemptState(EndGraces graces) : graces_(graces) {}

  // An event that ends the attempt.
  void End(AttemptEnd end, absl::Time now);
  // SIGINT or SIGTERM; the second one kills at once.
  void Interrupt(absl::Time now);

  // Whether a rank that ends with this code does so because of the signals
  // alone that the machine's ranks have got.
  bool HasCaused(int exit_code, absl::Time now) const;

  // Why the attempt ends; nullopt: it does not.
  const std::optional<AttemptEnd>& end() const { return end_; }

  // Returns true once, when ranks must get SIGTERM.
  bool TakeTerminate();
  // Whether ranks must get SIGKILL.
  bool MustKill(absl::Time now) const { return now >= kill_at_; }
  absl::Time kill_at() const { return kill_at_; }

 private:
  const EndGraces graces_;
  std::optional<AttemptEnd> end_;
  bool terminate_ = false;
  int interrupts_ = 0;
  absl::Time kill_at_ = absl::InfiniteFuture();
};

// Whether the ranks are started again after an attempt that ended so and
// `failures` that failed before it. An attempt that ended for a draining server
// or a machine that left is no failure: with max_restarts above 0 they always
// are. Never after kPermanentExitCode.
bool StartsAgain(const AttemptEnd& end, int failures, int max_restarts);

// Returns the exit code, or 128 + the signal that ended the process, from its
// wait status.
int ExitCodeOf(int wait_status);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_ATTEMPT_STATE_H_
