// What page-locking takes of the CUDA driver, found when the program runs: so
// no toolkit is needed to build, and no GPU to run.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// Functions of the CUDA driver API, as cuda.h has them. Tests put their own
// here. Thread-safe, as the driver's are.
struct CudaDriver {
  using Result = int;     // CUresult
  using Device = int;     // CUdevice
  using Context = void*;  // CUcontext
  static constexpr Result kSuccess = 0;
  static constexpr Result kOutOfMemory = 2;
  static constexpr unsigned kRegisterPortable = 1;  // for all contexts

  Result (*init)(unsigned flags) = nullptr;
  Result (*device_get_count)(int* count) = nullptr;
  Result (*device_get)(Device* device, int ordinal) = nullptr;
  Result (*ctx_get_device)(Device* device) = nullptr;
  Result (*primary_ctx_get_state)(Device device, unsigned* flags,
                                  int* active) = nullptr;
  Result (*primary_ctx_retain)(Context* context, Device device) = nullptr;
  Result (*primary_ctx_release)(Device device) = nullptr;
  Result (*ctx_push_current)(Context context) = nullptr;
  Result (*ctx_pop_current)(Context* context) = nullptr;
  Result (*mem_host_register)(void* memory, size_t bytes,
                              unsigned flags) = nullptr;
  Result (*mem_host_unregister)(void* memory) = nullptr;
  Result (*get_error_name)(Result result, const char** name) = nullptr;

  // OK, or RESOURCE_EXHAUSTED or INTERNAL with the driver's name for it:
  // "cuInit: CUDA_ERROR_NO_DEVICE".
  absl::Status StatusOf(const char* function, Result result) const;
};

// The driver's functions, where `find` says that they are, by the names that
// the library exports. UNAVAILABLE names one that is not there.
absl::StatusOr<CudaDriver> FindCudaDriver(
    const std::function<void*(const char* name)>& find);

// UNAVAILABLE, saying why: no GPU, or a driver that does not start.
absl::Status StartCuda(const CudaDriver& driver);

// libcuda.so.1, started, on a machine with a GPU; UNAVAILABLE says what there
// is not. Tried once, and kept until the process ends.
absl::StatusOr<const CudaDriver*> SystemCudaDriver();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_
