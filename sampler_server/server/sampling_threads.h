// The number of a server's sampling threads.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_THREADS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_THREADS_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

inline constexpr int kMaxSamplingThreads = 1024;

// Returns `wanted`, or, if it is 0, one thread for each core that this process
// may use (UsableCores(); at most kMaxSamplingThreads). INVALID_ARGUMENT,
// naming `option`, beyond 0 to kMaxSamplingThreads.
absl::StatusOr<int> SamplingThreads(std::string_view option, int wanted);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_THREADS_H_
