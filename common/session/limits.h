// Limits of specifications, shared by the code that makes and that checks them.
#ifndef TRIBUTARY_COMMON_SESSION_LIMITS_H_
#define TRIBUTARY_COMMON_SESSION_LIMITS_H_

#include <cstdint>

namespace tributary {

// Neighbours drawn per node. -1 asks for all and is not bounded.
inline constexpr int32_t kMaxFanout = 1 << 20;
inline constexpr int kMaxHops = 32;
// Inputs per batch. A credit lists them and must fit into a message's header.
inline constexpr uint64_t kMaxBatchSize = uint64_t{1} << 16;
// Inputs per batch if the credit also lists a time for each.
inline constexpr uint64_t kMaxTimedBatchSize = kMaxBatchSize / 2;
// Links and negatives of a batch together.
inline constexpr uint64_t kMaxLinksAndNegatives = uint64_t{1} << 22;
// Bytes of a credit for links, which must fit into one message's payload.
inline constexpr uint64_t kMaxLinkCreditBytes = uint64_t{4} << 20;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LIMITS_H_
