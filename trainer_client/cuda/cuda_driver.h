// The functions of the CUDA driver that page-locking needs, looked up at run
// time: no CUDA toolkit is needed to build, and no GPU to run.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// Pointers to functions of the CUDA driver API, with the signatures of cuda.h.
// Tests set their own. Thread-safe, as the driver's functions are.
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

  // Converts a result: OK; RESOURCE_EXHAUSTED when out of memory; else
  // INTERNAL. Messages are such as "cuInit: CUDA_ERROR_NO_DEVICE".
  absl::Status StatusOf(const char* function, Result result) const;
};

// Looks up all functions by the names that the library exports. `find` returns
// a function's address or null. UNAVAILABLE, naming the function, if one is
// missing.
absl::StatusOr<CudaDriver> FindCudaDriver(
    const std::function<void*(const char* name)>& find);

// Initialises the driver. UNAVAILABLE, with the reason, if there is no GPU or
// the driver does not start.
absl::Status StartCuda(const CudaDriver& driver);

// Returns the initialised driver of libcuda.so.1. UNAVAILABLE, with what is
// missing, without the library or a GPU. Tried once per process; the result,
// also a failure, is kept until the process ends. Thread-safe.
absl::StatusOr<const CudaDriver*> SystemCudaDriver();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_CUDA_DRIVER_H_
