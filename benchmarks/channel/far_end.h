// The other end of a measured stream: this program again, in a process of its
// own, so that each end's CPU time is known apart.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_FAR_END_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_FAR_END_H_

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// Not thread-safe. The process ends with this object, and with its parent.
class FarEnd {
 public:
  // Runs this program with `arguments`, which makes it call ServeFarEnd.
  // UNAVAILABLE when that does not come up.
  static absl::StatusOr<std::unique_ptr<FarEnd>> Start(
      std::vector<std::string> arguments);
  ~FarEnd();
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;

  uint16_t port() const { return port_; }
  // User and system seconds that it has used so far.
  absl::StatusOr<double> CpuSeconds();

 private:
  FarEnd() = default;

  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  uint16_t port_ = 0;
};

// In that process: says where it listens and answers until the parent goes.
void ServeFarEnd(uint16_t port);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_FAR_END_H_
