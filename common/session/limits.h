// Bounds that a specification must keep, the same where it is made and where it
// is checked.
#ifndef TRIBUTARY_COMMON_SESSION_LIMITS_H_
#define TRIBUTARY_COMMON_SESSION_LIMITS_H_

#include <cstdint>

namespace tributary {

// Neighbours drawn per node; -1 asks for all and has no bound.
inline constexpr int32_t kMaxFanout = 1 << 20;
inline constexpr int kMaxHops = 32;
// Inputs per batch: a credit names each, and must fit into a message's header.
inline constexpr uint64_t kMaxBatchSize = uint64_t{1} << 16;
// Where it names a time for each as well.
inline constexpr uint64_t kMaxTimedBatchSize = kMaxBatchSize / 2;
// Links of a batch and negatives together.
inline constexpr uint64_t kMaxLinksAndNegatives = uint64_t{1} << 22;
// Of a credit for links: what one message's payload holds.
inline constexpr uint64_t kMaxLinkCreditBytes = uint64_t{4} << 20;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LIMITS_H_
