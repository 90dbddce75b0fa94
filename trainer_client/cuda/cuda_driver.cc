#include "trainer_client/cuda/cuda_driver.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Looks up functions; keeps the name of the first that is missing.
class Finder {
 public:
  explicit Finder(const std::function<void*(const char*)>& find)
      : find_(find) {}

  template <typename Function>
  void Take(const char* name, Function** function) {
    void* const found = find_(name);
    if (found == nullptr && missing_ == nullptr) missing_ = name;
    *function = reinterpret_cast<Function*>(found);
  }
  const char* missing() const { return missing_; }

 private:
  const std::function<void*(const char*)>& find_;
  const char* missing_ = nullptr;
};

absl::StatusOr<CudaDriver> LoadSystemCudaDriver() {
  constexpr char kLibrary[] = "libcuda.so.1";
  // Never unloaded: the library has threads of its own.
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return absl::UnavailableError(
        absl::StrCat("no CUDA driver here: ", why == nullptr ? kLibrary : why));
  }
  ASSIGN_OR_RETURN(const CudaDriver driver,
                   FindCudaDriver([library](const char* name) {
                     return dlsym(library, name);
                   }));
  RETURN_IF_ERROR(StartCuda(driver));
  return driver;
}

}  // namespace

absl::Status CudaDriver::StatusOf(const char* function, Result result) const {
  if (result == kSuccess) return absl::OkStatus();
  const char* name = nullptr;
  if (get_error_name(result, &name) != kSuccess || name == nullptr) {
    name = "an error without a name";
  }
  const std::string text =
      absl::StrCat(function, ": ", name, " (", result, ")");
  return result == kOutOfMemory ? absl::ResourceExhaustedError(text)
                                : absl::InternalError(text);
}

absl::StatusOr<CudaDriver> FindCudaDriver(
    const std::function<void*(const char* name)>& find) {
  CudaDriver driver;
  Finder finder(find);
  finder.Take("cuInit", &driver.init);
  finder.Take("cuDeviceGetCount", &driver.device_get_count);
  finder.Take("cuDeviceGet", &driver.device_get);
  finder.Take("cuCtxGetDevice", &driver.ctx_get_device);
  finder.Take("cuDevicePrimaryCtxGetState", &driver.primary_ctx_get_state);
  finder.Take("cuDevicePrimaryCtxRetain", &driver.primary_ctx_retain);
  finder.Take("cuDevicePrimaryCtxRelease_v2", &driver.primary_ctx_release);
  finder.Take("cuCtxPushCurrent_v2", &driver.ctx_push_current);
  finder.Take("cuCtxPopCurrent_v2", &driver.ctx_pop_current);
  finder.Take("cuMemHostRegister_v2", &driver.mem_host_register);
  finder.Take("cuMemHostUnregister", &driver.mem_host_unregister);
  finder.Take("cuGetErrorName", &driver.get_error_name);
  if (finder.missing() == nullptr) return driver;
  return absl::UnavailableError(
      absl::StrCat("the CUDA driver here has no ", finder.missing()));
}

absl::Status StartCuda(const CudaDriver& driver) {
  int count = 0;
  absl::Status status = driver.StatusOf("cuInit", driver.init(0));
  if (status.ok()) {
    status =
        driver.StatusOf("cuDeviceGetCount", driver.device_get_count(&count));
  }
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat("no GPU: ", status.message()));
  }
  return count > 0 ? absl::OkStatus()
                   : absl::UnavailableError("no GPU is visible");
}

absl::StatusOr<const CudaDriver*> SystemCudaDriver() {
  static const auto* const driver =
      new absl::StatusOr<CudaDriver>(LoadSystemCudaDriver());
  if (!driver->ok()) return driver->status();
  return &**driver;
}

}  // namespace tributary
