#include "common/process/freed_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <limits>

namespace tributary {

void KeepFreedMemory() {
  for (const char* variable :
       {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"}) {
    if (std::getenv(variable) != nullptr) return;
  }
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace tributary
