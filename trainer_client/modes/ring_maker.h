// Makes the rings that a trainer's batches are received into, page-locked where
// that is asked for and there is a GPU.
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

// Thread-safe.
class RingMaker {
 public:
  // For the option pin_memory. Without a CUDA driver or a GPU it warns, here
  // and once, and its rings are plain, as PyTorch's DataLoader does it.
  static RingMaker For(bool pin_memory);
  // With the driver, which outlives the rings; null: plain.
  explicit RingMaker(const CudaDriver* driver) : driver_(driver) {}

  // Over memory of its own, `bytes` rounded up to whole units; over memory that
  // others see too, which `owner` keeps. The ring or its last lease lets go of
  // the pages. What the driver refuses is an error that names pin_memory and
  // `ring_option`, what users call the size.
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
