// The other end of a measured stream: this program again, in a process of its
// own, so that the ends share no thread and each one's CPU time is known apart.
#ifndef TRIBUTARY_CHANNEL_MEASURE_FAR_END_H_
#define TRIBUTARY_CHANNEL_MEASURE_FAR_END_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// Not thread-safe. The process ends with this object, and, whatever ends that,
// with the thread that started it. Every wait for it gives up after 30 s.
class FarEnd {
 public:
  // Runs this program with `arguments`, which make it call ServeFarEnd.
  // `passed_on`: a descriptor that it inherits, under the same number; -1:
  // none. UNAVAILABLE when that does not come up; it has said why on stderr.
  static absl::StatusOr<std::unique_ptr<FarEnd>> Start(
      std::vector<std::string> arguments, int passed_on = -1);
  // Kills it and waits for its end.
  ~FarEnd();
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;

  uint16_t port() const { return port_; }
  // User and system seconds that it has used so far.
  absl::StatusOr<double> CpuSeconds();
  // What `error` comes from: UNAVAILABLE with how the process ended, if it
  // did; else `error` itself.
  absl::Status CauseOf(absl::Status error);

 private:
  FarEnd() = default;
  bool EndsSoon() const;
  // One packet, of a number.
  absl::StatusOr<double> ReceiveNumber();

  pid_t pid_ = -1;  // of a child not yet waited for
  int socket_ = -1;
  uint16_t port_ = 0;
};

// In that process: says where it listens and answers until the parent goes.
void ServeFarEnd(uint16_t port);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_FAR_END_H_
