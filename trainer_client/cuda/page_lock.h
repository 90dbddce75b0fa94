// Page-locked ("pinned") host memory: copies to a GPU go at the full speed of
// the bus and need not be waited for.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/cuda/cuda_driver.h"

namespace tributary {

// Page-locks whole pages of memory, for the contexts of all GPUs, until the
// last copy of the result is let go of, on any thread; that lets go of `owner`
// then. All pages are there on return.
//
// It needs some GPU's context, and takes the primary one, which LibTorch uses
// too: of the calling thread's GPU if it has one, else of the first that is in
// use in this process, else of the first. So a trainer opens its GPU first, or
// there is a context on GPU 0 that nobody needs.
//
// `driver` outlives the result. INVALID_ARGUMENT: not whole pages. What the
// driver says: RESOURCE_EXHAUSTED, INTERNAL; nothing is locked then.
absl::StatusOr<std::shared_ptr<const void>> PageLock(
    absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
    const CudaDriver& driver);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_
