#include "common/process/freed_memory.h"

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/base/config.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPages = 16384;  // 64 MiB: more than malloc ever keeps

int64_t PageFaults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Allocates a block, writes to each of its pages and frees it. Returns the page
// faults of it.
int64_t FaultsOfABlock() {
  const int64_t before = PageFaults();
  void* const block = malloc(kPages * kPage);
  auto* const bytes = static_cast<volatile char*>(block);
  for (size_t page = 0; page < kPages; ++page) bytes[page * kPage] = 1;
  free(block);
  return PageFaults() - before;
}

TEST(FreedMemoryTest, IsTakenAgainWithoutPageFaults) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#endif
  setenv("MALLOC_TRIM_THRESHOLD_", "1000000", 1);
  KeepFreedMemory();  // has no effect
  FaultsOfABlock();
  EXPECT_GE(FaultsOfABlock(), 16);
  unsetenv("MALLOC_TRIM_THRESHOLD_");
  KeepFreedMemory();
  FaultsOfABlock();
  EXPECT_LT(FaultsOfABlock(), 16);
}

}  // namespace
}  // namespace tributary
