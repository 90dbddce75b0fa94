#include "sampler_server/server/sampling_threads.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/runtime/usable_cores.h"

namespace tributary {

absl::StatusOr<int> SamplingThreads(std::string_view option, int wanted) {
  if (wanted < 0 || wanted > kMaxSamplingThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        std::string(option), " is ", wanted, "; 1 to ", kMaxSamplingThreads,
        ", or 0 for one per core that this process may use"));
  }
  if (wanted > 0) return wanted;
  return std::min(UsableCores(), kMaxSamplingThreads);
}

}  // namespace tributary
