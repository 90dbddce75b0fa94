// Creates the receive rings of a trainer, page-locked on request if there is a
// GPU.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_RING_MAKER_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_RING_MAKER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/slot_ring.h"
#include "trainer_client/cuda/cuda_driver.h"

namespace tributary {

// Immutable, so thread-safe.
class RingMaker {
 public:
  // Returns a maker for the option pin_memory. Without a CUDA driver or a GPU
  // it logs one warning here, and the rings are plain memory, as with PyTorch's
  // DataLoader.
  static RingMaker For(bool pin_memory);
  // Returns that warning; empty without one.
  static std::string WarningOf(bool pin_memory);
  // Page-locks by `driver`, which must outlive the rings; null: plain memory.
  explicit RingMaker(const CudaDriver* driver) : driver_(driver) {}

  // Make() allocates the ring's memory, `bytes` rounded up to whole units;
  // Over() uses `memory`, which `owner` keeps alive and other processes may
  // map. The pages are released with the ring or its last lease. If the driver
  // refuses, returns its error with pin_memory and `ring_option`, the name by
  // which users set the size.
  absl::StatusOr<std::shared_ptr<SlotRing>> Make(
      uint64_t bytes, const std::string& ring_option) const;
  absl::StatusOr<std::shared_ptr<SlotRing>> Over(
      absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
      const std::string& ring_option) const;

 private:
  const CudaDriver* driver_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_RING_MAKER_H_
