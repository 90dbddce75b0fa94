#include "channel/grpc/receive_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tributary {
namespace {

constexpr int kHeaps = 8;
constexpr int kKeptBytes = 8 << 20;  // of each
constexpr int kLargestFromHeap = 1 << 20;

bool UserHasSetMalloc() {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return (tunables != nullptr && std::strstr(tunables, "malloc") != nullptr) ||
         std::getenv("MALLOC_ARENA_MAX") != nullptr ||
         std::getenv("MALLOC_TRIM_THRESHOLD_") != nullptr ||
         std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr;
}

}  // namespace

void KeepReceiveMemory() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (UserHasSetMalloc()) return;
    mallopt(M_ARENA_MAX, kHeaps);
    mallopt(M_TRIM_THRESHOLD, kKeptBytes);
    mallopt(M_MMAP_THRESHOLD, kLargestFromHeap);
  });
}

}  // namespace tributary
