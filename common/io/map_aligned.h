// Anonymous memory that begins at a multiple of a large size.
#ifndef TRIBUTARY_COMMON_IO_MAP_ALIGNED_H_
#define TRIBUTARY_COMMON_IO_MAP_ALIGNED_H_

#include <cstddef>
#include <cstdint>

namespace tributary {

// The size of the huge pages that the kernel makes of small ones, on x86-64.
inline constexpr size_t kHugePage = size_t{2} << 20;

// Maps `bytes` of zeros at a multiple of `alignment`, both multiples of a page;
// null if there is no memory. The caller unmaps them.
uint8_t* MapAligned(size_t bytes, size_t alignment);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_MAP_ALIGNED_H_
