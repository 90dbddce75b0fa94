// The sending end of a measured stream, in a child process.
//
// The child runs this same program, so the two ends share no thread and the CPU
// time of each is known separately. It reports through a socket pair: first the
// port it listens on, then its CPU time whenever it is asked.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_SENDER_PROCESS_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_SENDER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// The parent's handle of the child. The child is killed when this object is
// destroyed or the thread that started it ends, for whatever reason. Every wait
// for the child gives up after 30 s. Not thread-safe.
class SenderProcess {
 public:
  // Starts this program with `arguments`, which must make it call
  // ServeSenderProcess, and waits for its port. `passed_on`: a descriptor that
  // the child inherits under the same number; -1: none. Returns UNAVAILABLE if
  // the child does not come up; it has written the cause to stderr.
  static absl::StatusOr<std::unique_ptr<SenderProcess>> Start(
      std::vector<std::string> arguments, int passed_on = -1);
  // Kills the child and waits for its end.
  ~SenderProcess();
  SenderProcess(const SenderProcess&) = delete;
  SenderProcess& operator=(const SenderProcess&) = delete;

  uint16_t port() const { return port_; }
  // Returns the user and system seconds that the child has used so far.
  absl::StatusOr<double> CpuSeconds();
  // Returns the cause of `error`, which a stream to the child gave: UNAVAILABLE
  // with how the child ended, if it has ended; otherwise `error`.
  absl::Status CauseOf(absl::Status error);

 private:
  SenderProcess() = default;
  bool EndsSoon() const;
  absl::StatusOr<double> ReceiveNumber();

  pid_t pid_ = -1;  // of a child that was not yet waited for
  int socket_ = -1;
  uint16_t port_ = 0;
};

// In the child: reports that it listens on `port` (0: on no port) and answers
// CpuSeconds until the parent ends.
void ServeSenderProcess(uint16_t port);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_SENDER_PROCESS_H_
