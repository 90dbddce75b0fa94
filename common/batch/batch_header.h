// Constants of a batch's header, shared by BatchLayout, which writes it, and
// BatchView, which reads it.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_HEADER_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_HEADER_H_

#include <cstddef>
#include <cstdint>

namespace tributary {

inline constexpr uint64_t kBatchMagic = 0x4843544142495254;  // "TRIBATCH"
inline constexpr uint32_t kBatchVersion = 1;
inline constexpr size_t kBatchFixedHeaderBytes = 8 + 4 + 4 + 8 + 8 + 8 + 32;
inline constexpr size_t kMaxTensorNameBytes = 1024;
inline constexpr size_t kMaxTensorDims = 8;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_HEADER_H_
