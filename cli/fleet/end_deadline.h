// Bounds the time that a server's end may take.
#ifndef TRIBUTARY_CLI_FLEET_END_DEADLINE_H_
#define TRIBUTARY_CLI_FLEET_END_DEADLINE_H_

#include <thread>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The time that a server may take to end beyond --drain-timeout: the cancelled
// batches, HTTP requests, calls to peers and streams end within limits of their
// own, which are shorter together.
inline constexpr absl::Duration kEndMargin = absl::Seconds(15);

// Ends the process with exit code 1 and a line in the log if it still exists
// after `limit`: a thread waits for a disk that does not answer, say. The
// destructor calls that off. It has a thread of its own.
class EndDeadline {
 public:
  explicit EndDeadline(absl::Duration limit);
  ~EndDeadline();
  EndDeadline(const EndDeadline&) = delete;
  EndDeadline& operator=(const EndDeadline&) = delete;

 private:
  void Watch(absl::Duration limit);

  Mutex mutex_;
  CondVar ended_changed_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_END_DEADLINE_H_
