// Page-locked ("pinned") host memory: copies from it to a GPU run at the full
// speed of the bus, and asynchronously.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/cuda/cuda_driver.h"

namespace tributary {

// Page-locks whole pages of memory, for the contexts of all GPUs, until the
// last copy of the result is destroyed, on any thread; then `owner` is
// released. All pages are resident on return.
//
// Locking needs a GPU's context. It uses the primary context, as LibTorch does:
// that of the calling thread's GPU if it has one, else of the first GPU in use
// in this process, else of the first GPU. So a trainer should open its GPU
// first; otherwise an unused context is created on GPU 0.
//
// `driver` must outlive the result. INVALID_ARGUMENT if `memory` is not whole
// pages; RESOURCE_EXHAUSTED or INTERNAL from the driver. After an error nothing
// is locked.
absl::StatusOr<std::shared_ptr<const void>> PageLock(
    absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
    const CudaDriver& driver);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_PAGE_LOCK_H_
