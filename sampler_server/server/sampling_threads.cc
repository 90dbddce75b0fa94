#include "sampler_server/server/sampling_threads.h"

#include <algorithm>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<int> SamplingThreads(std::string_view option, int wanted) {
  if (wanted < 0 || wanted > kMaxSamplingThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(option), " is ", wanted, "; 1 to ",
                     kMaxSamplingThreads, ", or 0 for one per core"));
  }
  if (wanted > 0) return wanted;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, kMaxSamplingThreads);
}

}  // namespace tributary
