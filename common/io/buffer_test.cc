#include "common/io/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(AlignedBuffer, IsAlignedAndWritable) {
  for (size_t size : {size_t{1}, size_t{64}, size_t{4096}, size_t{5} << 20}) {
    AlignedBuffer buffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kCacheLine, 0u);
    EXPECT_EQ(buffer.size(), size);
    std::memset(buffer.data(), 7, size);
    EXPECT_EQ(buffer.span().back(), 7);
  }
}

// A huge page at its end would hold 2 MiB for the last byte.
TEST(AdviseHugePages, GivesNoneBeyondTheEnd) {
  constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
  constexpr size_t kWhole = 20 * kHugePage, kAll = kWhole + 2 * kHugePage;
  void* const memory = mmap(nullptr, kAll, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const begin = reinterpret_cast<uint8_t*>(
      AlignUp(reinterpret_cast<uintptr_t>(memory), kHugePage));
  AdviseHugePages(begin, kWhole + 1);
  std::memset(begin, 7, kWhole + 1);
  std::vector<unsigned char> resident(kHugePage / kPage - 1);
  ASSERT_EQ(
      mincore(begin + kWhole + kPage, resident.size() * kPage, resident.data()),
      0);
  EXPECT_EQ(std::count(resident.begin(), resident.end(), 0),
            static_cast<ptrdiff_t>(resident.size()));
  ASSERT_EQ(munmap(memory, kAll), 0);
}

TEST(AlignedBuffer, MovesItsMemory) {
  AlignedBuffer a(100);
  uint8_t* const where = a.data();
  AlignedBuffer b = std::move(a);
  EXPECT_EQ(b.data(), where);
  AlignedBuffer c(5);
  c = std::move(b);
  EXPECT_EQ(c.data(), where);
  EXPECT_EQ(c.size(), 100u);
  EXPECT_EQ(AlignedBuffer().data(), nullptr);
}

TEST(AlignUp, RoundsToTheNextMultiple) {
  EXPECT_EQ(AlignUp(0, 64), 0u);
  EXPECT_EQ(AlignUp(1, 64), 64u);
  EXPECT_EQ(AlignUp(64, 64), 64u);
  EXPECT_EQ(AlignUp(65, 64), 128u);
}

}  // namespace
}  // namespace tributary
