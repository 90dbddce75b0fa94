// Prints to stderr which servers a program waits for.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_WAIT_LINE_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_WAIT_LINE_H_

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/fleet/wait_notice.h"

namespace tributary {

// Turns notices into text: one line for each wait, or, on a terminal, one line
// that counts the seconds and is erased when the wait ends. Thread-safe, so
// that several loaders may share it.
class WaitLine {
 public:
  using Print = absl::AnyInvocable<void(const std::string&)>;
  // `program` begins each line. `columns` is the width of the terminal, to
  // which lines are cut; 0: not a terminal. `zone` is that of the time shown.
  WaitLine(std::string program, size_t columns, absl::TimeZone zone,
           Print print);

  void Show(const WaitNotice& notice, absl::Time now);

 private:
  const std::string program_;
  const size_t columns_;
  const absl::TimeZone zone_;
  Mutex mutex_;
  Print print_ ABSL_GUARDED_BY(mutex_);
  bool shown_ ABSL_GUARDED_BY(mutex_) = false;
};

// Returns an observer that prints on stderr in the local time zone; or, if the
// log is JSON, one that logs a line for each wait, with the time in UTC.
WaitObserver PrintWaits(const std::string& program);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_WAIT_LINE_H_
