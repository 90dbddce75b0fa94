#include "trainer_client/cuda/testing/fake_cuda_driver.h"

#include <algorithm>
#include <string_view>

namespace tributary {
namespace {

using Result = CudaDriver::Result;
using Device = CudaDriver::Device;
using Context = CudaDriver::Context;

FakeCudaDriver* g_fake = nullptr;

// Device d is told from its ordinal, and its context is an address.
constexpr int kFirstDevice = 10;
char g_contexts[8];

Result Init(unsigned) { return g_fake->init_result; }
Result DeviceGetCount(int* count) {
  *count = g_fake->num_devices;
  return 0;
}
Result DeviceGet(Device* device, int ordinal) {
  if (ordinal >= g_fake->num_devices) return FakeCudaDriver::kInvalidValue;
  *device = kFirstDevice + ordinal;
  return 0;
}
Result CtxGetDevice(Device* device) {
  if (!g_fake->thread_device) return FakeCudaDriver::kInvalidContext;
  *device = kFirstDevice + *g_fake->thread_device;
  return 0;
}
Result PrimaryCtxGetState(Device device, unsigned* flags, int* active) {
  *flags = 0;
  *active = std::count(g_fake->active.begin(), g_fake->active.end(),
                       device - kFirstDevice);
  return 0;
}
Result PrimaryCtxRetain(Context* context, Device device) {
  const int ordinal = device - kFirstDevice;
  ++g_fake->retained[ordinal];
  g_fake->chosen.push_back(ordinal);
  *context = &g_contexts[ordinal];
  return 0;
}
Result PrimaryCtxRelease(Device device) {
  if (--g_fake->retained[device - kFirstDevice] < 0) ++g_fake->wrong_calls;
  return 0;
}
Result CtxPushCurrent(Context context) {
  if (g_fake->push_result != 0) return g_fake->push_result;
  const int ordinal =
      static_cast<int>(static_cast<char*>(context) - g_contexts);
  if (g_fake->retained[ordinal] <= 0) ++g_fake->wrong_calls;  // it is gone
  g_fake->pushed.push_back(ordinal);
  return 0;
}
Result CtxPopCurrent(Context* context) {
  if (g_fake->pushed.empty()) {
    ++g_fake->wrong_calls;
    return FakeCudaDriver::kInvalidContext;
  }
  *context = &g_contexts[g_fake->pushed.back()];
  g_fake->pushed.pop_back();
  return 0;
}
Result MemHostRegister(void* memory, size_t bytes, unsigned flags) {
  if (g_fake->pushed.empty()) return FakeCudaDriver::kInvalidContext;
  if (g_fake->register_result != 0) return g_fake->register_result;
  g_fake->registered[memory] = {bytes, flags};
  return 0;
}
Result MemHostUnregister(void* memory) {
  if (g_fake->pushed.empty()) return FakeCudaDriver::kInvalidContext;
  if (g_fake->unregister_result != 0) return g_fake->unregister_result;
  return g_fake->registered.erase(memory) == 1 ? 0
                                               : FakeCudaDriver::kNotRegistered;
}
Result GetErrorName(Result result, const char** name) {
  *name = nullptr;
  if (result == CudaDriver::kOutOfMemory) *name = "CUDA_ERROR_OUT_OF_MEMORY";
  if (result == FakeCudaDriver::kInvalidValue) {
    *name = "CUDA_ERROR_INVALID_VALUE";
  }
  return *name == nullptr ? FakeCudaDriver::kInvalidValue : 0;
}

}  // namespace

FakeCudaDriver::FakeCudaDriver() { g_fake = this; }
FakeCudaDriver::~FakeCudaDriver() { g_fake = nullptr; }

CudaDriver FakeCudaDriver::driver() const { return *FindCudaDriver(Symbol); }

void* FakeCudaDriver::Symbol(const char* name) {
  static const auto* const symbols = new std::map<std::string_view, void*>{
      {"cuInit", reinterpret_cast<void*>(&Init)},
      {"cuDeviceGetCount", reinterpret_cast<void*>(&DeviceGetCount)},
      {"cuDeviceGet", reinterpret_cast<void*>(&DeviceGet)},
      {"cuCtxGetDevice", reinterpret_cast<void*>(&CtxGetDevice)},
      {"cuDevicePrimaryCtxGetState",
       reinterpret_cast<void*>(&PrimaryCtxGetState)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&PrimaryCtxRetain)},
      {"cuDevicePrimaryCtxRelease_v2",
       reinterpret_cast<void*>(&PrimaryCtxRelease)},
      {"cuCtxPushCurrent_v2", reinterpret_cast<void*>(&CtxPushCurrent)},
      {"cuCtxPopCurrent_v2", reinterpret_cast<void*>(&CtxPopCurrent)},
      {"cuMemHostRegister_v2", reinterpret_cast<void*>(&MemHostRegister)},
      {"cuMemHostUnregister", reinterpret_cast<void*>(&MemHostUnregister)},
      {"cuGetErrorName", reinterpret_cast<void*>(&GetErrorName)},
  };
  const auto it = symbols->find(name);
  return it == symbols->end() ? nullptr : it->second;
}

}  // namespace tributary
