// A CUDA driver that remembers what it was told, and refuses what the real one
// refuses.
#ifndef TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_
#define TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "trainer_client/cuda/cuda_driver.h"

namespace tributary {

// One at a time, for functions of C know no object. Not thread-safe.
struct FakeCudaDriver {
  static constexpr CudaDriver::Result kInvalidValue = 1;
  static constexpr CudaDriver::Result kInvalidContext = 201;
  static constexpr CudaDriver::Result kNotRegistered = 713;

  FakeCudaDriver();
  ~FakeCudaDriver();
  CudaDriver driver() const;
  // What libcuda.so.1 exports; null: no such name.
  static void* Symbol(const char* name);

  struct Region {
    size_t bytes = 0;
    unsigned flags = 0;
  };
  // What the machine is.
  int num_devices = 1;
  std::vector<int> active;           // devices whose context is in use
  std::optional<int> thread_device;  // of the calling thread's own context
  CudaDriver::Result init_result = 0, register_result = 0,
                     unregister_result = 0, push_result = 0;
  // What was done.
  std::map<void*, Region> registered;
  std::map<int, int> retained;  // device: how often, and not released
  std::vector<int> chosen;      // devices, as they were retained
  std::vector<int> pushed;      // contexts of the calling thread
  int wrong_calls = 0;          // that the real driver would not survive
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CUDA_TESTING_FAKE_CUDA_DRIVER_H_
