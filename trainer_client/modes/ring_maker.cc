#include "trainer_client/modes/ring_maker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "trainer_client/cuda/page_lock.h"

namespace tributary {

RingMaker RingMaker::For(bool pin_memory) {
  if (!pin_memory) return RingMaker(nullptr);
  const absl::StatusOr<const CudaDriver*> driver = SystemCudaDriver();
  if (driver.ok()) return RingMaker(*driver);
  Log(LogLevel::kWarning, WarningOf(pin_memory));
  return RingMaker(nullptr);
}

std::string RingMaker::WarningOf(bool pin_memory) {
  const auto driver = SystemCudaDriver();
  if (!pin_memory || driver.ok()) return "";
  return absl::StrCat("pin_memory: ", driver.status().message(),
                      "; batches are received into plain memory");
}

absl::StatusOr<std::shared_ptr<SlotRing>> RingMaker::Make(
    uint64_t bytes, const std::string& ring_option) const {
  if (driver_ == nullptr) return SlotRing::Create(bytes);
  // Aligned to whole pages, so that nothing else is locked with them.
  const size_t size = AlignUp(bytes, SlotRing::kUnit);
  auto buffer = std::make_shared<AlignedBuffer>(size + SlotRing::kUnit);
  const auto at = reinterpret_cast<uintptr_t>(buffer->data());
  const absl::Span<uint8_t> memory =
      buffer->span().subspan(AlignUp(at, SlotRing::kUnit) - at, size);
  return Over(memory, std::move(buffer), ring_option);
}

absl::StatusOr<std::shared_ptr<SlotRing>> RingMaker::Over(
    absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
    const std::string& ring_option) const {
  if (driver_ == nullptr) return SlotRing::Over(memory, std::move(owner));
  auto lock = PageLock(memory, std::move(owner), *driver_);
  if (lock.ok()) return SlotRing::Over(memory, *std::move(lock));
  return absl::Status(
      lock.status().code(),
      absl::StrCat("pin_memory: ", memory.size(), " bytes of ", ring_option,
                   " cannot be page-locked: ", lock.status().message(),
                   "; allowed: a smaller ", ring_option, ", or no pin_memory"));
}

}  // namespace tributary
