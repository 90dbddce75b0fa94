#include "trainer_client/cuda/page_lock.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr uintptr_t kPage = 4096;

// Retains a GPU's primary context for its own lifetime.
class PrimaryContext {
 public:
  static absl::StatusOr<std::unique_ptr<PrimaryContext>> Open(
      const CudaDriver& driver) {
    ASSIGN_OR_RETURN(const CudaDriver::Device device, Choose(driver));
    CudaDriver::Context context = nullptr;
    RETURN_IF_ERROR(
        driver.StatusOf("cuDevicePrimaryCtxRetain",
                        driver.primary_ctx_retain(&context, device)));
    return std::unique_ptr<PrimaryContext>(
        new PrimaryContext(driver, device, context));
  }
  ~PrimaryContext() { driver_.primary_ctx_release(device_); }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  // Calls the driver with this context current on the calling thread, and
  // restores the thread's own afterwards.
  template <typename F>
  absl::Status With(const char* function, F call) const {
    RETURN_IF_ERROR(driver_.StatusOf("cuCtxPushCurrent",
                                     driver_.ctx_push_current(context_)));
    const absl::Status status = driver_.StatusOf(function, call(driver_));
    CudaDriver::Context popped = nullptr;
    driver_.ctx_pop_current(&popped);
    return status;
  }

 private:
  PrimaryContext(const CudaDriver& driver, CudaDriver::Device device,
                 CudaDriver::Context context)
      : driver_(driver), device_(device), context_(context) {}

  static absl::StatusOr<CudaDriver::Device> Choose(const CudaDriver& driver) {
    CudaDriver::Device device = 0;
    if (driver.ctx_get_device(&device) == CudaDriver::kSuccess) return device;
    int count = 0;
    RETURN_IF_ERROR(
        driver.StatusOf("cuDeviceGetCount", driver.device_get_count(&count)));
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      unsigned flags = 0;
      int active = 0;
      if (driver.device_get(&device, ordinal) == CudaDriver::kSuccess &&
          driver.primary_ctx_get_state(device, &flags, &active) ==
              CudaDriver::kSuccess &&
          active != 0) {
        return device;
      }
    }
    RETURN_IF_ERROR(
        driver.StatusOf("cuDeviceGet", driver.device_get(&device, 0)));
    return device;
  }

  const CudaDriver& driver_;
  const CudaDriver::Device device_;
  const CudaDriver::Context context_;
};

class LockedPages {
 public:
  LockedPages(absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
              std::unique_ptr<PrimaryContext> context)
      : memory_(memory),
        owner_(std::move(owner)),
        context_(std::move(context)) {}
  ~LockedPages() {
    if (!locked_) return;
    const absl::Status status =
        context_->With("cuMemHostUnregister", [&](const CudaDriver& driver) {
          return driver.mem_host_unregister(memory_.data());
        });
    if (status.ok()) return;
    Log(LogLevel::kWarning,
        absl::StrCat(memory_.size(),
                     " bytes stay page-locked: ", status.message()));
  }
  LockedPages(const LockedPages&) = delete;
  LockedPages& operator=(const LockedPages&) = delete;

  absl::Status Lock() {
    const absl::Status status =
        context_->With("cuMemHostRegister", [&](const CudaDriver& driver) {
          return driver.mem_host_register(memory_.data(), memory_.size(),
                                          CudaDriver::kRegisterPortable);
        });
    locked_ = status.ok();
    return status;
  }

 private:
  const absl::Span<uint8_t> memory_;
  const std::shared_ptr<const void> owner_;
  const std::unique_ptr<PrimaryContext> context_;
  bool locked_ = false;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const void>> PageLock(
    absl::Span<uint8_t> memory, std::shared_ptr<const void> owner,
    const CudaDriver& driver) {
  if (memory.empty() || memory.size() % kPage != 0 ||
      reinterpret_cast<uintptr_t>(memory.data()) % kPage != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("page-locking ", memory.size(),
                     " bytes; allowed: whole pages of ", kPage));
  }
  ASSIGN_OR_RETURN(auto context, PrimaryContext::Open(driver));
  auto pages = std::make_shared<LockedPages>(memory, std::move(owner),
                                             std::move(context));
  RETURN_IF_ERROR(pages->Lock());
  return pages;
}

}  // namespace tributary
