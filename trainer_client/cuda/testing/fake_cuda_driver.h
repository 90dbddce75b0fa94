// A fake CUDA driver that records calls, and refuses what the real one refuses.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "trainer_client/cuda/cuda_driver.h"

namespace tributary {

// Only one may exist at a time, since C functions have no object. Not
// thread-safe.
struct FakeCudaDriver {
  static constexpr CudaDriver::Result kInvalidValue = 1;
  static constexpr CudaDriver::Result kInvalidContext = 201;
  static constexpr CudaDriver::Result kNotRegistered = 713;

  FakeCudaDriver();
  ~FakeCudaDriver();
  CudaDriver driver() const;
  // Returns the function of that name in libcuda.so.1, or null.
  static void* Symbol(const char* name);

  struct Region {
    size_t bytes = 0;
    unsigned flags = 0;
  };
  // The simulated machine.
  int num_devices = 1;
  std::vector<int> active;           // devices whose context is in use
  std::optional<int> thread_device;  // of the calling thread's own context
  CudaDriver::Result init_result = 0, register_result = 0,
                     unregister_result = 0, push_result = 0;
  // The recorded calls.
  std::map<void*, Region> registered;
  std::map<int, int> retained;  // by device: retained and not released
  std::vector<int> chosen;      // devices, in the order retained
  std::vector<int> pushed;      // contexts of the calling thread
  int wrong_calls = 0;          // calls that would crash the real driver
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_
